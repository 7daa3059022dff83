/** The languages that code is colored in, each loaded with the first block of it; names that people write for them. */
import type { LanguageFn } from "highlight.js";

/** What stands in other languages comes along: scripts and styles in HTML, tags in JSX. */
export const INSIDE: Readonly<Record<string, readonly string[]>> = {
  xml: ["css", "javascript"],
  javascript: ["xml"],
  typescript: ["xml"],
};

type Load = () => Promise<{ readonly default: LanguageFn }>;

export const LANGUAGES: Readonly<Record<string, Load>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  go: () => import("highlight.js/lib/languages/go"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  lua: () => import("highlight.js/lib/languages/lua"),
  php: () => import("highlight.js/lib/languages/php"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scss: () => import("highlight.js/lib/languages/scss"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  bash: ["sh", "shell", "zsh", "console"],
  cpp: ["c", "h", "cc", "cxx", "hpp", "c++"],
  csharp: ["cs", "c#"],
  diff: ["patch"],
  dockerfile: ["docker", "containerfile"],
  go: ["golang"],
  ini: ["toml", "properties", "conf", "cfg", "env"],
  javascript: ["js", "jsx", "mjs", "cjs"],
  json: ["jsonc", "json5"],
  kotlin: ["kt", "kts"],
  python: ["py", "python3"],
  ruby: ["rb"],
  rust: ["rs"],
  scss: ["sass"],
  typescript: ["ts", "tsx", "mts", "cts"],
  xml: ["html", "svg", "vue", "xhtml"],
  yaml: ["yml"],
};

/** @returns Undefined for a language that is not among the known ones. */
export function languageOf(written: string): string | undefined {
  const name = written.toLowerCase();
  if (Object.hasOwn(LANGUAGES, name)) return name;
  return Object.entries(ALIASES).find(([, others]) => others.includes(name))?.[0];
}
