import type { components, operations, paths } from './schema.d.ts';

type Schemas = components['schemas'];

export type Asset = Schemas['AssetList']['assets'][number];
export type Balance = Schemas['Balance'];
export type Candle = Schemas['Candle'];
export type Deposit = Schemas['AccountDeposit'];
export type DepositAddress = Schemas['DepositAddress'];
export type Event = Schemas['Event'];
export type EventType = Event['type'];
export type ExchangeStatus = Schemas['Status'];
export type Market = Schemas['ExchangeInfo']['symbols'][number];
export type NewOrder = Schemas['PlaceOrder'];
export type NewWebhookEndpoint = Schemas['CreateWebhookEndpoint'];
export type NewWithdrawal = Schemas['CreateWithdrawal'];
export type Order = Schemas['Order'];
export type OwnApiKey = Schemas['OwnApiKey'];
export type Problem = Schemas['Problem'];
export type Ticker = Schemas['Ticker'];
export type Transaction = Schemas['Transaction'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookEndpointChange = Schemas['ChangeWebhookEndpoint'];
export type Withdrawal = Schemas['Withdrawal'];

export type Method = 'get' | 'post' | 'patch' | 'delete';

export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

/** The operation behind a method and a path, as the document describes it. */
export type OperationOf<M extends Method, P extends PathOf<M>> = Extract<paths[P][M], { responses: unknown }>;

type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : { body?: never };

type ParametersOf<Operation> = Operation extends { parameters: infer Parameters } ? Omit<Parameters, 'cookie'> : object;

/** The input of an operation: its parameters by their place (path, query, header), and its body. */
export type InputOf<Operation> = ParametersOf<Operation> & BodyOf<Operation>;

export type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? Exclude<Query, undefined>
  : never;

type ContentOf<Response> = Response extends { content: infer Content } ? Content[keyof Content] : undefined;

/** The answers of an operation. `status` decides which body it is. */
export type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Code in keyof Responses]: {
        readonly status: Code;
        readonly headers: Headers;
        readonly body: ContentOf<Responses[Code]>;
      };
    }[keyof Responses]
  : never;

/** The body of an operation's successful answer. */
export type ResultOf<Operation> = Extract<AnswerOf<Operation>, { status: 200 | 201 }>['body'];

type ProblemsOf<Operation> = Operation extends { responses: infer Responses }
  ? { [Code in keyof Responses]: Extract<ContentOf<Responses[Code]>, Problem> }[keyof Responses]
  : never;

/** Every code in the document. Version 1 only ever adds codes, so a newer exchange may send others. */
export type ProblemCode = ProblemsOf<operations[keyof operations]>['code'];

/** The additional members that problems of certain codes have. */
export interface ProblemMembers {
  /** `outcome_unknown`: the order that may have been placed. */
  readonly orderId?: string;
  /** `outcome_unknown`: the withdrawal that may have been taken. */
  readonly withdrawalId?: string;
  /** `network_not_supported`: the networks of the asset. */
  readonly networks?: readonly string[];
  /** `daily_limit_exceeded`: in USDT, like the next two. */
  readonly limit?: string;
  readonly used?: string;
  readonly remaining?: string;
  readonly [name: string]: unknown;
}
