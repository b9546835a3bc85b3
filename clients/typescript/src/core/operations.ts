// Request and response types of an operation in an OpenAPI document, found by path and method.

type Content<T> = T extends { content: infer Bodies }
  ? Bodies extends { 'application/json': infer Body }
    ? Body
    : undefined
  : undefined;

/** The JSON body of a request. */
export type BodyOf<Operation> = Operation extends { requestBody?: infer Body }
  ? Content<NonNullable<Body>>
  : undefined;

/** The query parameters. */
export type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? NonNullable<Query>
  : never;

/** The JSON of a successful response. */
export type ResponseOf<Operation> = Operation extends { responses: infer Answers }
  ? {
      [Status in keyof Answers]: Status extends 200 | 201 | 202 ? Content<Answers[Status]> : never;
    }[keyof Answers]
  : never;

/** `data` of the response. */
export type DataOf<Operation> = ResponseOf<Operation> extends { data: infer Data } ? Data : never;

/** One item of a list. */
export type ItemOf<Operation> = DataOf<Operation> extends (infer Item)[] ? Item : never;
