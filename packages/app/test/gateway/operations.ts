// Routes called by their operation id over HTTP; every answer is held against the schema and the errors of its route.
import { expect } from "vitest";
import { z } from "zod";
import { PROBLEMS } from "../../src/host/api/problem.ts";
import type { Route } from "../../src/host/api/route.ts";
import { ROUTES } from "../../src/compose/routes.ts";
import { ProblemSchema } from "../../src/protocol/common.ts";
import type { GrantedScope } from "../../src/host/auth/credential.ts";
import type { ApiAnswer, ApiInit, TestGateway } from "./support.ts";

export interface Operation extends Pick<ApiInit, "body" | "raw" | "headers" | "token"> {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number>>;
}
export type Operate = (id: string, operation?: Operation) => Promise<ApiAnswer>;

/** Refusals that every route may give. */
const COMMON = /^(?:request|precondition|auth|host|origin|rate|state)\.|^internal$/;

export function operations(gateway: Pick<TestGateway, "api">): Operate {
  return async (id, { params = {}, query = {}, ...init } = {}) => {
    const route = routeOf(id);
    const path = route.path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) =>
      encodeURIComponent(String(params[name] ?? `no-${name}`)),
    );
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const answer = await gateway.api(`${path}${search.size === 0 ? "" : `?${search.toString()}`}`, {
      method: route.method,
      ...init,
    });
    if (answer.status === 304) expect(answer.body).toBe("");
    else if (answer.status >= 400) checkProblem(route, answer);
    else if (route.response !== undefined && /json/.test(answer.headers.get("content-type") ?? "")) {
      expect(answer.status).toBe(route.status ?? 200);
      const checked = route.response.safeParse(answer.body);
      expect(checked.error === undefined ? "" : `${id}: ${z.prettifyError(checked.error)}`).toBe("");
    }
    return answer;
  };
}

function checkProblem(route: Route, { status, body, headers }: ApiAnswer): void {
  expect(headers.get("content-type")).toContain("application/problem+json");
  const { code } = ProblemSchema.parse(body);
  expect(PROBLEMS).toHaveProperty([code], status);
  if (!COMMON.test(code)) expect(route.errors ?? [], `${route.id} says which errors it gives`).toContain(code);
}

/** Nobody without a credential gets in, and no credential of the next lower kind. */
export async function expectScopes(gateway: TestGateway, ids: readonly string[]): Promise<void> {
  const operate = operations(gateway);
  const tokens = new Map<GrantedScope, string>();
  for (const id of ids) {
    const { scope } = routeOf(id);
    const lower: GrantedScope = scope === "owner" ? "admin" : scope === "admin" ? "read" : "metrics";
    const token = tokens.get(lower) ?? gateway.token(lower);
    tokens.set(lower, token);
    expect((await operate(id, { token: null })).status, `${id} without a credential`).toBe(401);
    const refused = await operate(id, { token });
    expect([refused.status, refused.body.code], `${id} with ${lower}`).toEqual([403, "auth.scope"]);
  }
}

function routeOf(id: string): Route {
  const route = ROUTES.find((one) => one.id === id);
  if (route === undefined) throw new Error(`There is no route ${id}.`);
  return route;
}

/** Ids of all operations below a path. */
export function operationsBelow(...prefixes: readonly string[]): readonly string[] {
  return ROUTES.filter(({ path }) => prefixes.some((prefix) => path.startsWith(prefix))).map(({ id }) => id);
}
