// docs/reference/routes.md: every operation of the REST API, from the document that the gateway serves.
import { cell, code, table } from "./table.mjs";

/** What any operation may answer: said once. */
const COMMON =
  /^(?:request\.(?:malformed|too-large|media-type|invalid|not-found|timeout)|host|origin|rate|auth|state|internal|precondition|idempotency)\b/;

/** @param document OpenAPI. @param problems code → status. @param titles code → text in the page's language. */
export function routesPage({ document, problems, titles, words }) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const groups = Object.entries(Object.groupBy(operations, ({ tags }) => tags[0]));
  const sections = groups.map(([tag, list]) => {
    const rows = list.map((operation) => [
      code(operation.operationId),
      code(`${operation.method} ${operation.path}`),
      cell(operation.summary),
      code(operation["x-scope"]),
      takes(operation).map(code).join(", "),
      ownCodes(operation, document).map(code).join(", "),
    ]);
    return `## ${tag}\n\n${table([words.operation, words.request, words.does, words.scope, words.takes, words.refuses], rows)}\n`;
  });
  const refusals = Object.entries(problems).map(([name, status]) => [code(name), String(status), cell(titles[name])]);
  return `${words.intro(operations.length)}
## ${words.refusals}

${words.aboutRefusals}

${table([words.code, words.status, words.meaning], refusals)}

${sections.join("\n")}`;
}

/** Parameters, and fields of the body; `*` marks what has to be there. */
function takes({ parameters = [], requestBody }) {
  const named = parameters
    .filter(({ in: where }) => where === "query")
    .map(({ name, required }) => `?${name}${required ? "*" : ""}`);
  const schema = requestBody?.content["application/json"]?.schema;
  const bodies = schema === undefined ? [] : [schema, ...(schema.anyOf ?? schema.oneOf ?? [])];
  const fields = bodies.flatMap(({ properties = {}, required = [] }) =>
    Object.keys(properties).map((name) => `${name}${required.includes(name) ? "*" : ""}`),
  );
  return [...new Set([...named, ...fields])];
}

function ownCodes({ responses }, document) {
  const found = Object.values(responses).flatMap(({ $ref }) =>
    $ref === undefined ? [] : (document.components.responses[$ref.split("/").at(-1)]["x-codes"] ?? []),
  );
  return [...new Set(found)].filter((name) => !COMMON.test(name)).toSorted((a, b) => (a < b ? -1 : 1));
}
