/** OpenAPI 3.1 from the routes and their schemas: there is no second description that could differ. */
import { z } from "zod";
import { PROBLEMS, type ProblemCode } from "./problem.ts";
import { TITLES } from "./titles.en.ts";
import type { Route } from "./route.ts";
import { ProblemSchema } from "../../protocol/common.ts";
import { fullPath } from "../http/table.ts";
import { exampleOf } from "./openapi-example.ts";

type Document = Readonly<Record<string, unknown>>;

/** What any route may answer. */
const COMMON: readonly ProblemCode[] = [
  "request.malformed",
  "host.refused",
  "origin.refused",
  "rate.exceeded",
  "internal",
];
const WITH_BODY: readonly ProblemCode[] = ["request.too-large", "request.media-type", "request.invalid"];
const WITH_CHANGE: readonly ProblemCode[] = ["precondition.required", "precondition.failed", "idempotency.conflict"];
const WITH_CREDENTIAL: readonly ProblemCode[] = [
  "auth.required",
  "auth.invalid",
  "auth.expired",
  "auth.scope",
  "auth.private",
  "state.closing",
  "state.starting",
  "state.disk",
];

export function openApiDocument(routes: readonly Route[]): Document {
  const shared = createShared(routes);
  const paths: Record<string, Record<string, Document>> = {};
  for (const route of routes) {
    const path = fullPath(route);
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, shared);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "margay gateway",
      version: "1",
      license: { name: "MIT", identifier: "MIT" },
      description: "The API of a margay gateway. Made from the schemas that validate each request; do not edit.",
    },
    servers: [{ url: "http://127.0.0.1:18790" }],
    paths,
    components: {
      schemas: {
        Problem: jsonSchema(ProblemSchema, "output"),
        OpenAiError: OPENAI_ERROR,
        Json: JSON_VALUE,
        ...shared.schemas,
      },
      responses: shared.responses,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "margay token create --scope …" },
        browser: { type: "apiKey", in: "header", name: "Margay-Key", description: "Together with the login cookie." },
      },
    },
  };
}

/** What several operations have in common is written once. */
interface Shared {
  readonly schemas: Readonly<Record<string, Document>>;
  readonly responses: Readonly<Record<string, Document>>;
  schema(schema: z.ZodType): Document;
  failure(status: number, codes: readonly ProblemCode[], isOpenAi: boolean): Document;
}

function createShared(routes: readonly Route[]): Shared {
  const names = new Map<z.core.$ZodType, string>();
  const uses = new Map<z.core.$ZodType, number>();
  for (const { response } of routes)
    if (response !== undefined) for (const part of partsOf(response)) uses.set(part, (uses.get(part) ?? 0) + 1);
  for (const { id, response } of routes)
    if (response !== undefined && (uses.get(response) ?? 0) > 1 && !names.has(response))
      names.set(response, `${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`);
  const schemas = Object.fromEntries([...names].map(([schema, name]) => [name, jsonSchema(schema, "output", names)]));
  const responses: Record<string, Document> = {};
  return {
    schemas,
    responses,
    schema: (schema) => {
      const name = names.get(schema);
      return name === undefined ? jsonSchema(schema, "output", names) : refTo(name);
    },
    failure: (status, codes, isOpenAi) => {
      const name = [isOpenAi ? "OpenAi" : "", status, ...codes.map((code) => code.replaceAll(/[.-]/g, "_"))].join("-");
      const key = name.replace(/^-/, "");
      const schema = { $ref: `#/components/schemas/${isOpenAi ? "OpenAiError" : "Problem"}` };
      responses[key] ??= {
        description: codes.join(", "),
        "x-codes": codes,
        content: {
          [isOpenAi ? "application/json" : "application/problem+json"]: {
            schema,
            example: failureExample(status, codes, isOpenAi),
          },
        },
      };
      return { $ref: `#/components/responses/${key}` };
    },
  };
}

/** The schema and all that is in it, once for each place. */
function partsOf(schema: z.ZodType): readonly z.core.$ZodType[] {
  const parts: z.core.$ZodType[] = [];
  z.toJSONSchema(schema, {
    io: "output",
    unrepresentable: "any",
    override: ({ zodSchema }) => void parts.push(zodSchema),
  });
  return parts;
}

function refTo(name: string): Document {
  return { $ref: `#/components/schemas/${name}` };
}

function failureExample(status: number, [code = "internal"]: readonly ProblemCode[], isOpenAi: boolean): Document {
  const detail = "What was refused, what was given, and what the bound is.";
  if (isOpenAi) return { error: { message: detail, type: "invalid_request_error", param: null, code } };
  const title = TITLES[code];
  return {
    type: `urn:margay:error:${code}`,
    title,
    status,
    code,
    detail,
    instance: "request-a1b2c3d4",
    retryable: false,
  };
}

const OPENAI_ERROR: Document = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type", "param", "code"],
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "null"] },
      },
    },
  },
};

function operation(route: Route, shared: Shared): Document {
  const parameters = [...pathParameters(route), ...queryParameters(route)];
  return {
    operationId: route.id,
    summary: route.summary,
    tags: [tagOf(route)],
    "x-scope": route.scope,
    ...(route.ownSessions === true && { "x-own-sessions": "chat" }),
    "x-fresh-proof": route.scope === "owner",
    security: route.scope === "public" ? [] : [{ token: [] }, { browser: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(route),
    responses: { ...success(route, shared), ...failures(route, shared) },
  };
}

function tagOf(route: Route): string {
  const [first = "", second] = route.path.split("/").filter((part) => part !== "");
  return first === "!" ? (second ?? "") : first;
}

function pathParameters({ path }: Route): readonly Document[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    example: exampleOf({ type: "string" }, name),
  }));
}

function queryParameters({ query }: Route): readonly Document[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(query, "input") as {
    readonly properties?: Readonly<Record<string, Document>>;
    readonly required?: readonly string[];
  }; // queries are objects
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
    example: exampleOf(schema, name),
  }));
}

function requestBody({ body, rawBody }: Route): Document {
  if (rawBody !== undefined)
    return { requestBody: { required: true, content: { "application/octet-stream": { schema: {} } } } };
  if (body === undefined) return {};
  const schema = jsonSchema(body, "input");
  const example = exampleOf(schema);
  return { requestBody: { required: true, content: { "application/json": { schema, example } } } };
}

function success({ status = 200, otherwise, response }: Route, shared: Shared): Document {
  const description = status === 204 ? "Done" : status === 201 ? "Made" : status === 202 ? "Accepted" : "The answer";
  if (response === undefined) return { [status]: { description } };
  const content = { schema: shared.schema(response), example: exampleOf(jsonSchema(response, "output")) };
  const answer = { description, content: { "application/json": content } };
  return { [status]: answer, ...(otherwise !== undefined && { [otherwise]: answer }) };
}

/** Every code the operation may answer with, by status. */
export function codesOf(route: Route): readonly ProblemCode[] {
  const writes = route.method !== "GET";
  const isPublic = route.scope === "public";
  const codes: readonly ProblemCode[] = [
    ...COMMON,
    ...(isPublic ? [] : WITH_CREDENTIAL),
    ...(route.scope === "owner" ? (["auth.fresh-required"] as const) : []),
    ...(writes ? WITH_BODY : []),
    ...(writes && !isPublic ? WITH_CHANGE : []),
    ...(route.path.includes("{") ? (["request.not-found"] as const) : []),
    ...(route.query === undefined ? [] : (["request.invalid"] as const)),
    ...(route.timeoutMs === null ? [] : (["request.timeout"] as const)),
    ...(route.errors ?? []),
    // Whoever looks for a conversation may find one that a newer margay went on with.
    ...(route.errors?.includes("session.not-found") === true ? (["journal.version"] as const) : []),
  ];
  return [...new Set(codes)];
}

function failures(route: Route, shared: Shared): Document {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codesOf(route)) byStatus.set(PROBLEMS[code], [...(byStatus.get(PROBLEMS[code]) ?? []), code]);
  const isOpenAi = route.path.startsWith("/!/v1/");
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([one], [other]) => one - other)
      .map(([status, codes]) => [status, shared.failure(status, codes.toSorted(), isOpenAi)]),
  );
}

/** @param names What is referred to where it is a part. */
function jsonSchema(
  schema: z.core.$ZodType,
  io: "input" | "output",
  names: ReadonlyMap<z.core.$ZodType, string> = new Map(),
): Document {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: part }) => {
      const found: z.core.$ZodType = zodSchema;
      const name = names.get(found);
      if (name === undefined || found === schema) return;
      for (const key of Object.keys(part)) delete part[key];
      Object.assign(part, refTo(name));
    },
  }) as Document; // an object
  const { $schema: _said, $defs, ...plain } = made;
  if ($defs === undefined) return plain;
  // What refers to itself is named; the name has to lead somewhere from the document's root, where one is enough.
  const shared = (value: unknown): string => JSON.stringify(value).replaceAll(/#\/\$defs\/\w+/g, JSON_REF);
  for (const definition of Object.values($defs as Document))
    if (shared(definition) !== JSON.stringify(JSON_VALUE)) throw new Error("A recursive schema needs a name here.");
  return JSON.parse(shared(plain)) as Document;
}

const JSON_REF = "#/components/schemas/Json";
/** `z.json()`. */
const JSON_VALUE: Document = {
  anyOf: [
    { type: "string" },
    { type: "number" },
    { type: "boolean" },
    { type: "null" },
    { type: "array", items: { $ref: JSON_REF } },
    { type: "object", propertyNames: { type: "string" }, additionalProperties: { $ref: JSON_REF } },
  ],
};
