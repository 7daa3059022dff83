// The arguments of a Gemini call that come in pieces, each with the path that it belongs at.
import type { Json } from "../contract/base.ts";
import { asRecord } from "../model/failure-text.ts";

type Leaf = string | number | boolean | null;
type Node = Map<string, Node> | Node[] | Leaf;

export interface PathArguments {
  /** `[{ jsonPath: "$.items[0].name", stringValue: "Bos" }]`: a text at a known path goes on with it. */
  take(pieces: readonly unknown[]): void;
  /** As JSON. */
  text(): string;
}

export function pathArguments(): PathArguments {
  const root: Node = new Map();
  return {
    take: (pieces) => {
      for (const item of pieces) {
        const piece = asRecord(item);
        const value = leafOf(piece);
        if (typeof piece?.["jsonPath"] === "string" && value !== undefined) put(root, pathOf(piece["jsonPath"]), value);
      }
    },
    text: () => print(root),
  };
}

function leafOf(piece: Readonly<Record<string, unknown>> | undefined): Leaf | undefined {
  const value = piece?.["stringValue"] ?? piece?.["numberValue"] ?? piece?.["boolValue"];
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return piece !== undefined && "nullValue" in piece ? null : undefined;
}

/** `$.a[0].b` → a, 0, b. */
function pathOf(path: string): readonly (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)]
    .map(([, index, name]) => (index === undefined ? (name ?? "") : Number(index)))
    .filter((step, at) => !(at === 0 && step === "$"));
}

function put(root: Node, path: readonly (string | number)[], value: Leaf): void {
  let node: Node = root;
  for (const [at, step] of path.entries()) {
    const known = childOf(node, step);
    // Items come in order: a gap would be filled with as many of nothing.
    if (!(node instanceof Map) && !(Array.isArray(node) && Number(step) <= node.length)) return;
    const last = at === path.length - 1;
    const leaf = typeof known === "string" && typeof value === "string" ? known + value : value;
    const next: Node = last ? leaf : isOpen(known) ? known : typeof path[at + 1] === "number" ? [] : new Map();
    if (node instanceof Map) node.set(String(step), next);
    else node[Number(step)] = next;
    node = next;
  }
}

function childOf(node: Node, step: string | number): Node | undefined {
  return node instanceof Map ? node.get(String(step)) : Array.isArray(node) ? node[Number(step)] : undefined;
}

function isOpen(node: Node | undefined): node is Map<string, Node> | Node[] {
  return node instanceof Map || Array.isArray(node);
}

function print(node: Node): string {
  if (node instanceof Map)
    return `{${[...node].map(([name, value]) => `${JSON.stringify(name)}:${print(value)}`).join(",")}}`;
  return Array.isArray(node) ? `[${node.map(print).join(",")}]` : JSON.stringify(node satisfies Json);
}
