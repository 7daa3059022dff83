import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { fullPath } from "../../src/host/http/table.ts";
import { codesOf, openApiDocument } from "../../src/host/api/openapi.ts";
import { PROBLEMS } from "../../src/host/api/problem.ts";
import type { GrantedScope } from "../../src/host/auth/credential.ts";
import type { Route, Scope } from "../../src/host/api/route.ts";
import { ROUTES } from "../../src/compose/routes.ts";
import { startGateway } from "./support.ts";

test("docs/openapi.json says what the routes say", () => {
  const written = readFileSync(new URL("../../../../docs/openapi.json", import.meta.url), "utf8");
  // Not by `toEqual`: the difference of two long documents helps nobody.
  const isSame = written === `${JSON.stringify(openApiDocument(ROUTES), null, 1)}\n`;
  expect(isSame, "Run: node scripts/openapi.mjs --write").toBe(true);
});

test("the document that the gateway serves is the one of the routes", async (t) => {
  const { api, token } = await startGateway(t);
  const { status, body } = await api("/openapi.json", { token: token("read") });
  expect(status).toBe(200);
  expect(body.openapi).toBe("3.1.0");
  const operations = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId);
  expect(operations.toSorted()).toEqual(ROUTES.map(({ id }) => id).toSorted());
});

test("every reference in the document leads somewhere", () => {
  const document = openApiDocument(ROUTES);
  const text = JSON.stringify(document);
  const broken = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].filter(
    ([, path = ""]) =>
      path.split("/").reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document) ===
      undefined,
  );
  expect(broken.map(([ref]) => ref)).toEqual([]);
});

test("no two paths differ by the names of their parameters alone", () => {
  const { paths } = openApiDocument(ROUTES) as { paths: Record<string, object> };
  const shapes = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, "{}"));
  expect(shapes.toSorted()).toEqual([...new Set(shapes)].toSorted());
});

test("each operation has an example of what it takes and of what it answers, and each is what its schema takes", () => {
  interface Content {
    readonly example?: unknown;
  }
  interface Operation {
    readonly operationId: string;
    readonly parameters?: readonly { readonly name: string; readonly example?: unknown }[];
    readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
    readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
  }
  const { paths } = openApiDocument(ROUTES) as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const wrong: string[] = [];
  const check = (about: string, schema: z.ZodType, example: unknown): void => {
    const { error } = schema.safeParse(example);
    if (example === undefined || error !== undefined)
      wrong.push(`${about}: ${JSON.stringify(example)} ${error === undefined ? "" : z.prettifyError(error)}`);
  };
  for (const { id, body, query, response, status = 200 } of ROUTES) {
    const operation = operations.find(({ operationId }) => operationId === id);
    const json = "application/json";
    if (body !== undefined) check(`body of ${id}`, body, operation?.requestBody?.content[json]?.example);
    if (response !== undefined)
      check(`answer of ${id}`, response, operation?.responses[status]?.content?.[json]?.example);
    for (const { name, example } of operation?.parameters ?? []) {
      const schema = query instanceof z.ZodObject ? (query.shape as Record<string, z.ZodType>)[name] : undefined;
      check(`${name} of ${id}`, schema ?? z.string(), schema === undefined ? example : String(example));
    }
  }
  expect(wrong).toEqual([]);
});

test("no route answers without a credential but those that must", () => {
  const open = ROUTES.filter(({ scope }) => scope === "public").map((route) => `${route.method} ${fullPath(route)}`);
  expect(open.toSorted()).toEqual([
    "GET /api/health",
    "GET /api/v1/auth/state",
    "GET /api/v1/mcp/oauth/callback",
    "GET /health",
    "GET /ready",
    "POST /api/v1/auth/exchange",
    "POST /api/v1/auth/login",
    "POST /api/v1/auth/setup",
    "POST /hooks/channel/{id}/{path}",
    "POST /hooks/{name}",
  ]);
});

const MANY = { requestsPerMinute: 1_000_000, sendsPerMinute: 1_000_000, anonymousPerMinute: 1_000_000 };
/** What is just not enough for a scope. */
const TOO_LITTLE: Readonly<Record<Scope, GrantedScope | undefined>> = {
  public: undefined,
  metrics: "chat",
  read: "metrics",
  chat: "read",
  admin: "read",
  owner: "admin",
};

test("R283 every route asks for a credential, then for its scope, and takes no field it does not know", async (t) => {
  const { api, token } = await startGateway(t, { config: { gateway: { limits: MANY } } });
  const tokens = new Map<GrantedScope, string>();
  const wrong: string[] = [];
  for (const route of ROUTES.filter(({ scope }) => scope !== "public")) {
    const { method, scope, body } = route;
    const path = `/!${fullPath(route).replaceAll(/\{\w+\}/g, "x")}`;
    const seen: number[] = [(await api(path, { method, token: null })).status];
    const less = TOO_LITTLE[scope];
    if (less !== undefined) {
      const secret = tokens.get(less) ?? token(less);
      tokens.set(less, secret);
      seen.push((await api(path, { method, token: secret })).status);
    }
    // Clients of /v1 send fields of next year; a patch of settings is checked by the table of keys, against what it patches.
    const isLoose = path.startsWith("/!/v1/") || route.id === "patchSettings";
    if (body !== undefined && !isLoose) seen.push((await api(path, { method, body: { nobodyKnowsThis: 1 } })).status);
    const expected = [401, 403, ...(body === undefined || isLoose ? [] : [422])];
    if (seen.join() !== expected.join()) wrong.push(`${method} ${path}: ${seen.join()} instead of ${expected.join()}`);
  }
  expect(wrong).toEqual([]);
});

/**
 * Ends, starts or pauses the process or its agent, or waits for something outside: the rest of the run would say nothing;
 * `checkFolder` makes folders wherever it is told to.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(["restartSystem", "logout", "checkFolder"]);
const RUNS = 2000;

test(
  "a request that fits its schema by form alone never fails in an undocumented way",
  { timeout: 300_000 },
  async (t) => {
    const gateway = await startGateway(t, {
      config: {
        gateway: { limits: MANY },
      },
    });
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const routes = ROUTES.filter(({ id, timeoutMs }) => timeoutMs !== null && !LEFT_OUT.has(id));
    const token = gateway.token("owner");
    const failures: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...routes).chain(requestOf), async ({ route, path, body }) => {
        const method = route.method;
        const answer = await gateway
          .api(`/!${path}`, { method, token, ...(body !== undefined && { body }) })
          .catch((error: unknown) => failures.push(String(error)));
        if (typeof answer === "number") return;
        const { status = 200, otherwise } = route;
        const allowed = new Set([status, otherwise, 202, 304, ...codesOf(route).map((code) => PROBLEMS[code])]);
        if (!allowed.has(answer.status) || answer.status === 500)
          failures.push(
            `${method} ${path} → ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)} for ${JSON.stringify(body)?.slice(0, 300)}`,
          );
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect([...new Set(failures)].slice(0, 200)).toEqual([]);
    expect(gateway.app.inside.storageFault()).toBeUndefined();
  },
);

interface Made {
  readonly route: Route;
  readonly path: string;
  readonly body: unknown;
}

function requestOf(route: Route): fc.Arbitrary<Made> {
  const template = fullPath(route);
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([whole]) => whole);
  const segment = fc.oneof(
    fc.constantFrom("x", "MEMORY.md", "default", "mock", "0", "-1", "a".repeat(64), "..x", "__proto__", "constructor"),
    fc.string({ minLength: 1, maxLength: 30 }).filter((text) => !/^\.+$/.test(text)), // `..` never leaves a client
  );
  const query = route.query === undefined ? fc.constant({}) : valueOf(schemaOf(route.query));
  const body = route.body === undefined ? fc.constant(undefined) : valueOf(schemaOf(route.body));
  return fc
    .tuple(fc.array(segment, { minLength: names.length, maxLength: names.length }), query, body)
    .map(([values, asked, sent]) => {
      const path = names.reduce(
        (text, name, index) => text.replace(name, () => encodeURIComponent((values[index] ?? "x").toWellFormed())),
        template,
      );
      const pairs = Object.entries((asked ?? {}) as Record<string, unknown>).map(([name, value]) => [
        name,
        // An object may bring a toString of its own, which is none.
        (typeof value === "object" ? JSON.stringify(value) : String(value)).toWellFormed(),
      ]);
      const search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs as [string, string][]).toString()}`;
      return { route, path: `${path}${search}`, body: sent };
    });
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
}

function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
}

/** Values by the form of a schema, mostly right and sometimes not. */
function valueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 19, arbitrary: fitting(schema) }, { weight: 1, arbitrary: fc.jsonValue() });
}

function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return fc.oneof(...options.map(valueOf));
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object": {
      const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, valueOf(one)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
    }
    case "array":
      return fc.array(valueOf(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case "integer":
    case "number":
      return fc.integer({ min: Math.max(schema.minimum ?? -5, -1e9), max: Math.min(schema.maximum ?? 1e6, 1e9) });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "string":
      return fc.oneof(
        fc.string({
          minLength: Math.min(schema.minLength ?? 0, 60),
          maxLength: Math.max(schema.minLength ?? 0, Math.min(schema.maxLength ?? 60, 60)),
        }),
        fc.constantFrom("hello", "x", "2026-01-01", "mock/mock-model", "a-b", "\u202e\u0000", "0"),
      );
    default:
      return fc.jsonValue();
  }
}
