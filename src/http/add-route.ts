import type { RouteConfig, RouteConfigToEnv, RouteConfigToTypedResponse, RouteHandler } from '@hono/zod-openapi';
import type { Next, TypedResponse } from 'hono';
import type { JSONValue } from 'hono/utils/types';
import type { AppEnvironment } from './context.ts';

/**
 * Adds a route to an area. A handler compiles only if it returns a `WrittenAnswer` or a body that fits the route's
 * response schema. Structural typing accepts a body with additional members; here they are an error as well, so that no
 * handler answers more than the document says.
 */
export type AddRoute = <Route extends RouteConfig, Given extends RouteConfigToTypedResponse<Route>>(
  route: Route,
  handler: (
    c: Parameters<RouteHandler<Route, RouteConfigToEnv<Route> & AppEnvironment>>[0],
    next: Next,
  ) => MaybePromise<Given & WithoutExcess<Excess<BodyOf<Given>, BodyOf<RouteConfigToTypedResponse<Route>>>>>,
) => void;

type MaybePromise<Value> = Value | Promise<Value>;

/** The body of a typed response. Of a `WrittenAnswer` it is `never`. */
type BodyOf<Answer> = Answer extends TypedResponse<infer Body, infer _Status, infer _Format> ? Body : never;

type WithoutExcess<Names> = [Names] extends [never] ? unknown : { readonly notInTheResponseSchema: Names };

/** The names of the members, at any depth, that `Given` has and `Declared` has not. A schema may allow any JSON. */
type Excess<Given, Declared> = JSONValue extends Declared
  ? never
  : Given extends readonly (infer Item)[]
    ? Declared extends readonly (infer DeclaredItem)[]
      ? Excess<Item, DeclaredItem>
      : never
    : Given extends object
      ? {
          [Name in keyof Given]-?: Name extends NamesOf<Declared>
            ? Excess<Given[Name], MemberOf<Declared, Name>>
            : Name;
        }[keyof Given]
      : never;

/** The names of the members of any type of a union. */
type NamesOf<Union> = Union extends Union ? keyof Union : never;

type MemberOf<Union, Name extends PropertyKey> = Union extends { readonly [Each in Name]?: infer Member }
  ? Member
  : never;
