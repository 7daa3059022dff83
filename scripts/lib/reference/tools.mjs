// docs/reference/tools.md: what the model can call, and what the policy makes of it.
import { cell, code, table } from "./table.mjs";

/** @param tools `{ name, description, effect, schema, classes }`. @param rows the table of the policy, by class. */
export function toolsPage({ tools, rows, words }) {
  const sections = tools.map(({ name, description, effect, schema, classes }) => {
    const required = new Set(schema.required ?? []);
    const parameters = Object.entries(schema.properties ?? {}).map(([key, value]) => [
      code(key),
      cell(`${typeOf(value)}${required.has(key) ? `${words.between}${words.required}` : ""}`),
      cell(value.description ?? ""),
    ]);
    return [
      `## ${name}`,
      `> ${description.replaceAll("\n", "\n> ").replaceAll(/^> $/gm, ">")}`,
      `${words.effect}${words.colon}${code(effect)}${words.between}${words.classes}${words.colon}${classes.map(code).join(words.comma)}`,
      parameters.length > 0 ? table([words.parameter, words.takes, words.meaning], parameters) : words.noParameters,
    ].join("\n\n");
  });
  const used = [...new Set(tools.flatMap(({ classes }) => classes))];
  const others = Object.keys(rows).filter((name) => !used.includes(name));
  const policy = [...used, ...others].map((name) => [
    code(name),
    cell(words.classTexts[name] ?? missing(name)),
    ...["trusted", "untrusted", "alone"].map((when) => words.cells[rows[name][when]]),
  ]);
  return `${words.intro}
## ${words.policy}

${words.aboutPolicy}

${table([words.class, words.meaning, words.trusted, words.untrusted, words.alone], policy)}

${sections.join("\n\n")}
`;
}

function typeOf({ type, enum: values, items, anyOf, oneOf, const: only }) {
  if (only !== undefined) return code(JSON.stringify(only));
  if (values !== undefined) return values.map((value) => code(String(value))).join(" / ");
  const some = anyOf ?? oneOf;
  if (some !== undefined) return some.map(typeOf).join(" / ");
  return type === "array" && items !== undefined ? `array of ${typeOf(items)}` : [type ?? "any"].flat().join(" / ");
}

function missing(name) {
  throw new Error(`scripts/lib/reference has no words for the class of calls "${name}".`);
}
