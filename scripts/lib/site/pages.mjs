// Which Markdown files are pages of the documentation, where each lies in the built site, and in which order they are shown.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../toolchain.mjs";

/** Pages from beside `docs/`: where they lie in the site. */
const OUTSIDE = {
  "README.md": "about.md",
  "README.zh-CN.md": "about.zh-CN.md",
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security-policy.md",
};

/** Titles that say too little in a list of pages. */
const LABELS = { about: { en: "About margay", "zh-CN": "关于 margay" } };

/** Sections in order. A page that is not there yet has its place reserved; `*` stands for each that fits. */
const SECTIONS = [
  { en: "Start", "zh-CN": "开始", pages: ["README", "quick-start", "install", "terminal", "about"] },
  {
    en: "Tutorials",
    "zh-CN": "教程",
    pages: [
      ...["local-model", "chat-platform", "reminder", "skill", "household", "remote-access"].map(
        (name) => `tutorials/${name}`,
      ),
    ],
  },
  {
    en: "Concepts",
    "zh-CN": "概念",
    pages: ["turn", "journal", "labels", "budgets", "audiences"].map((name) => `concepts/${name}`),
  },
  {
    en: "Guides",
    "zh-CN": "指南",
    pages: [
      ...["channels", "people", "commands", "network", "undo", "audit", "secrets", "security"],
      ...["gateway", "reverse-proxy", "openai-api", "websocket", "hooks", "webhook"],
    ],
  },
  { en: "Keep it running", "zh-CN": "日常维护", pages: ["backup", "troubleshooting", "faq"] },
  {
    en: "Reference",
    "zh-CN": "参考",
    pages: ["configuration", ...["commands", "tools", "routes", "events"].map((name) => `reference/${name}`), "errors"],
  },
  {
    en: "Developers",
    "zh-CN": "开发者",
    pages: [
      "architecture",
      "write-a-*",
      "backup-format",
      "faults",
      "performance",
      "first-hour",
      "pages-and-tests",
      "contributing",
      "security-policy",
      "changelog",
      "decisions/README",
    ],
  },
];

/** Every page by its path in the site: `{ source, text, path, language, title, label, url }`, sorted by path. */
export function readPages() {
  const inside = filesBelow("docs").map((source) => [source, source.slice("docs/".length)]);
  const outside = Object.entries(OUTSIDE).filter(([source]) => existsSync(join(root, source)));
  const found = [...inside, ...outside].map(([source, path]) => pageOf(source, path));
  return new Map(found.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map((page) => [page.path, page]));
}

function pageOf(source, path) {
  const text = readFileSync(join(root, source), "utf8");
  const language = path.endsWith(".zh-CN.md") ? "zh-CN" : "en";
  const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "");
  if (title === undefined) throw new Error(`${source} has no title: its first line is to be "# …".`);
  const name = path.replace(/(?:\.zh-CN)?\.md$/, "");
  const file = `${name.replace(/(^|\/)README$/, "$1index")}.html`;
  const label = LABELS[name]?.[language] ?? title;
  return { source, path, text, language, title, label, name, url: language === "en" ? file : `zh-CN/${file}` };
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(path) : path.endsWith(".md") ? [path] : [];
  });
}

/**
 * Sections with their pages, as a reader of that language sees them: what has no page in Chinese is shown in English.
 * @param pages of `readPages`.
 */
export function navigationOf(pages, language) {
  return SECTIONS.map((section) => ({
    title: section[language],
    pages: section.pages
      .flatMap((name) =>
        name.endsWith("*")
          ? [...pages.values()].filter((page) => page.language === "en" && page.name.startsWith(name.slice(0, -1)))
          : [(language === "en" ? undefined : pages.get(`${name}.${language}.md`)) ?? pages.get(`${name}.md`)],
      )
      .filter((page) => page !== undefined),
  })).filter((section) => section.pages.length > 0);
}

/** The same page in the other language, if there is one. */
export function sisterOf(pages, { name, language }) {
  return pages.get(language === "en" ? `${name}.zh-CN.md` : `${name}.md`);
}

/** From one page of the site to another, relative: the site works below every path. */
export function linkBetween(from, to) {
  const depth = from.split("/").length - 1;
  return `${"../".repeat(depth)}${to}`;
}
