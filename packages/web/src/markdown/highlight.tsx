/** Colors for code, from highlight.js's tree of scopes (never its HTML). Loaded when the first block closed. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { ComponentChild } from "preact";
import { visible } from "./visible-text.tsx";

const LANGUAGES = { bash, cpp, css, diff, go, java, json, python, rust, sql, typescript, xml, yaml };
const ALIASES: Readonly<Record<string, string>> = {
  shell: "bash",
  console: "bash",
  c: "cpp",
  jsonc: "json",
  toml: "yaml",
};

interface Scope {
  readonly scope?: string;
  readonly children: readonly (Scope | string)[];
}

/** @returns undefined for a language that is not among the known ones. */
export function highlight(code: string, language: string): ComponentChild[] | undefined {
  if (hljs.listLanguages().length === 0)
    for (const [name, definition] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, definition);
  const name = ALIASES[language.toLowerCase()] ?? language.toLowerCase();
  if (!hljs.getLanguage(name)) return undefined;
  const result = hljs.highlight(code, { language: name, ignoreIllegals: true });
  const root = (result._emitter as unknown as { rootNode: Scope }).rootNode; // its public form is HTML text
  return nodesOf(root);
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
