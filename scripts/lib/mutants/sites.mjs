// The places of the product that can be changed, and how: each as the text of the change and as the text that makes the change
// or not, whichever the switch says. Offsets are those of JavaScript strings, which the parser counts in.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

import { parseAst } from "vitest/node";

import { filesBelow } from "../freshness.mjs";
import { root } from "../toolchain.mjs";

const SOURCES = ["packages/core/src", "packages/app/src", "plugins/provider-azure/src", "plugins/provider-bedrock/src"];
/** What people read, tables of vendors, and what tests are made with. */
const LEFT_OUT = /\.(?:en|zh)\.ts$|\/testing\/|\/src\/(?:internal-)?testing\.ts$|catalog|\.d\.ts$/;
const SWAPS = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
};

export function sourceFiles() {
  return SOURCES.flatMap((folder) => filesBelow(join(root, folder)))
    .filter((file) => file.endsWith(".ts") && !LEFT_OUT.test(file))
    .map((file) => relative(root, file));
}

/** @returns the folder that a summary counts a file in: `core/loop`, `app/features/cron`, `wiring` for the root files of app. */
export function areaOf(file) {
  const [, name, , ...rest] = file.split("/");
  const folders = rest.slice(0, -1);
  if (file.startsWith("plugins/")) return "plugins";
  if (folders.length === 0) return name === "app" ? "wiring" : `${name}/root`;
  return [name, ...folders.slice(0, ["features", "host", "machine"].includes(folders[0]) ? 2 : 1)].join("/");
}

/**
 * @returns of each place: `operator`, `start`, `end`, `line`, `changed` (the text with the change) and `either(on)`, which holds both.
 */
export function sitesOf(file) {
  const source = readFileSync(join(root, file), "utf8");
  const program = parseAst(source, { lang: "ts" });
  const sites = [];
  const text = ({ start, end }) => source.slice(start, end);
  const add = (operator, { start, end }, changed, either) =>
    sites.push({ file, operator, start, end, line: source.slice(0, start).split("\n").length, changed, either });
  /** An expression instead of another. */
  const instead = (operator, node, changed) =>
    add(operator, node, changed, (on) => `(${on} ? ${changed} : ${text(node)})`);
  const constant = (node) => {
    if (node?.type !== "Literal") return;
    const { value } = node;
    if (typeof value === "boolean") instead("constant", node, String(!value));
    else if (typeof value === "number") instead("constant", node, value === 0 ? "1" : `(${node.raw} * 2 + 1)`);
    // With a space, or in another script, it is a text that somebody reads.
    else if (typeof value === "string" && /^[!-~]+$/.test(value)) instead("constant", node, '""');
  };
  /** Left and right of an operator, with the brackets that stand around them. */
  const sides = ({ start, end, left, right, operator }) => {
    const at = left.end + source.slice(left.end, right.start).indexOf(operator);
    return [source.slice(start, at).trim(), source.slice(at + operator.length, end).trim()];
  };
  const negate = (test) => instead("negate", test, `!(${text(test)})`);
  const body = (node) => {
    if (node.body?.type !== "BlockStatement") return;
    const at = node.body.body.find((statement) => typeof statement.directive !== "string")?.start;
    if (at !== undefined) add("return early", { start: at, end: at }, "return; ", (on) => `if (${on}) return; `);
  };
  const lastArgument = ({ arguments: list }) => {
    const last = list.at(-1);
    if (last === undefined || last.type === "SpreadElement") return;
    const between = list.length > 1 ? source.slice(list.at(-2).end, last.start) : ",";
    const after = /^(\s*,)?\s*\)/.exec(source.slice(last.end));
    if (!/^\s*,\s*$/.test(between) || after === null) return; // in brackets of its own
    const from = list.length > 1 ? list.at(-2).end : last.start;
    const before = list.length > 1 ? ", " : "";
    const end = last.end + (after[1]?.length ?? 0);
    add("drop argument", { start: from, end }, "", (on) => `${before}...(${on} ? [] : [${text(last)}])`);
  };
  visit(program, {
    IfStatement: ({ test }) => negate(test),
    ConditionalExpression: ({ test }) => negate(test),
    ExpressionStatement(node) {
      if (typeof node.directive === "string") return;
      add("delete statement", node, ";", (on) => `{ if (!${on}) { ${text(node)} } }`);
    },
    BinaryExpression(node) {
      const swapped = SWAPS[node.operator];
      if (swapped !== undefined) {
        const [left, right] = sides(node);
        instead("swap", node, `(${left} ${swapped} ${right})`);
      }
      constant(node.left);
      constant(node.right);
    },
    LogicalExpression(node) {
      const [left, right] = sides(node);
      if (node.operator === "??") instead("??", node, `(${left})`);
      else instead("logic", node, `((${left}) ${node.operator === "&&" ? "||" : "&&"} (${right}))`);
    },
    AwaitExpression: (node) => instead("drop await", node, `(${text(node.argument)})`),
    FunctionDeclaration: body,
    FunctionExpression: body,
    ArrowFunctionExpression(node) {
      body(node);
      if (node.expression) constant(node.body);
    },
    ObjectExpression({ properties }) {
      for (const property of properties) {
        const { start, end } = property;
        const comma = /^\s*,/.exec(source.slice(end))?.[0].length ?? 0;
        if (property.type === "Property") {
          if (property.kind !== "init") continue;
          // Texts for people stand in tables too.
          if (property.value.type === "Literal" && ["en", "zh"].includes(property.key.name)) continue;
          constant(property.value);
        }
        add("drop option", { start, end: end + comma }, "", (on) => `...(${on} ? {} : { ${text(property)} }),`);
      }
    },
    CallExpression(node) {
      lastArgument(node);
      for (const argument of node.arguments) constant(argument);
    },
    NewExpression(node) {
      lastArgument(node);
      for (const argument of node.arguments) constant(argument);
    },
    VariableDeclarator: ({ init }) => constant(init),
    AssignmentPattern: ({ right }) => constant(right),
    AssignmentExpression: ({ right }) => constant(right),
    ReturnStatement: ({ argument }) => constant(argument),
    ArrayExpression: ({ elements }) => elements.forEach(constant),
    PropertyDefinition: ({ value }) => constant(value),
    CatchClause({ param, body: { start } }) {
      if (param !== null && param.type !== "Identifier") return;
      const name = param?.name ?? "thrownAgain";
      const head = param === null ? `(${name}) {` : "{";
      add(
        "rethrow in catch",
        { start, end: start + 1 },
        `${head} if (Date.now() > 0) throw ${name};`,
        (on) => `${head} if (${on}) throw ${name};`,
      );
    },
  });
  return sites.filter(outsideOfTypes(program));
}

/** Reached when it runs: the innermost function around a place, by its span; the whole file outside of any. */
export function functionsOf(file) {
  const source = readFileSync(join(root, file), "utf8");
  const spans = [];
  const note = (node) => {
    const { body } = node;
    if (body === null || body === undefined) return; // an overload
    const block = body.type === "BlockStatement";
    const first = block ? body.body.find((statement) => typeof statement.directive !== "string")?.start : body.start;
    if (first === undefined) return;
    // An object as the body of an arrow stands in brackets, which its span leaves out.
    spans.push({
      start: node.start,
      end: node.end,
      block,
      first,
      last: body.end,
      text: source.slice(node.start, node.end),
    });
  };
  visit(parseAst(source, { lang: "ts" }), {
    FunctionDeclaration: note,
    FunctionExpression: note,
    ArrowFunctionExpression: note,
  });
  return spans;
}

function outsideOfTypes(program) {
  const types = [];
  const note = ({ start, end }) => types.push([start, end]);
  visit(program, { TSTypeAnnotation: note, TSTypeAliasDeclaration: note, TSInterfaceDeclaration: note });
  return ({ start, end }) => !types.some(([from, to]) => from <= start && end <= to);
}

/** Calls the function of a node's type, for each node from the outside in. */
function visit(node, visitors) {
  visitors[node.type]?.(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string") visit(child, visitors);
}
