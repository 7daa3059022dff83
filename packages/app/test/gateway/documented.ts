// Whatever a test sees of the gateway must be what the OpenAPI document says.
import { createTable } from "../../src/host/http/table.ts";
import { codesOf } from "../../src/host/api/openapi.ts";
import { ROUTES } from "../../src/compose/routes.ts";
import { ProblemSchema } from "../../src/protocol/common.ts";

const TABLE = createTable(ROUTES);

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

/** @throws Error when an answer does not fit the route's response schema or is no error of its list. */
export function checkDocumented({ method, path, status, type, body }: Seen): void {
  const found = TABLE.find(method, path);
  if (found === undefined || !("route" in found)) return;
  const { route } = found;
  const about = `${method} ${path} (${route.id}) answered ${status}`;
  if (status === (route.status ?? 200) && route.response !== undefined && type.startsWith("application/json")) {
    const { success, error } = route.response.safeParse(body);
    if (!success)
      throw new Error(
        `${about}, which is not what its response schema says: ${error.message}\n${JSON.stringify(body).slice(0, 1000)}`,
      );
  }
  if (!type.startsWith("application/problem+json")) return;
  const problem = ProblemSchema.safeParse(body);
  if (!problem.success) throw new Error(`${about} with no proper problem: ${problem.error.message}`);
  const { code } = problem.data;
  if (!codesOf(route).some((one) => one === code)) throw new Error(`${about} ${code}, which is not among its errors.`);
  if (problem.data.status !== status) throw new Error(`${about}, but its body says ${problem.data.status}.`);
}
