/** The part of Node's module that the platform has with `nodejs_als`, as far as the sandbox uses it. */
declare module 'node:async_hooks' {
  export class AsyncLocalStorage<Store> {
    run<Result>(store: Store, act: () => Result): Result;
    getStore(): Store | undefined;
  }
}
