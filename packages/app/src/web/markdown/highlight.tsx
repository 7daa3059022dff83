/** Colors for code, from highlight.js's tree of scopes (never its HTML). Loaded when the first block closed. */
import hljs from "highlight.js/lib/core";
import type { ComponentChild } from "preact";
import { INSIDE, languageOf, LANGUAGES } from "./languages.ts";
import { visible } from "./visible-text.tsx";

interface Scope {
  readonly scope?: string;
  readonly children: readonly (Scope | string)[];
}

/** @returns undefined for a language that is not among the known ones. */
export async function highlight(code: string, language: string): Promise<ComponentChild[] | undefined> {
  const name = languageOf(language);
  if (name === undefined) return undefined;
  await Promise.all([name, ...(INSIDE[name] ?? [])].map(load));
  const result = hljs.highlight(code, { language: name, ignoreIllegals: true });
  const root = (result._emitter as unknown as { rootNode: Scope }).rootNode; // its public form is HTML text
  return nodesOf(root);
}

async function load(name: string): Promise<void> {
  if (hljs.getLanguage(name)) return;
  const definition = await LANGUAGES[name]?.();
  if (definition && !hljs.getLanguage(name)) hljs.registerLanguage(name, definition.default);
}

function nodesOf(scope: Scope): ComponentChild[] {
  return scope.children.flatMap((child, index) => {
    if (typeof child === "string") return visible(child);
    const name = (child.scope ?? "").split(".")[0] ?? "";
    return [
      <span key={`${String(index)}-${name}`} class={`hl-${name}`}>
        {nodesOf(child)}
      </span>,
    ];
  });
}
