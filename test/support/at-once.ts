/** Does the same so many times at once. */
export function atOnce<T>(times: number, act: (at: number) => T | Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, at) => act(at)));
}
