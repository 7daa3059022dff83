// The documentation as static pages: Eleventy makes them from the Markdown, with a search index for each language.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { notice } from "../notice.mjs";
import { root } from "../toolchain.mjs";
import { documentOf } from "./layout.mjs";
import { createMarkdown, FILES } from "./markdown.mjs";
import { navigationOf, readPages } from "./pages.mjs";
import { INDEX } from "./words.mjs";

const LANGUAGES = ["en", "zh-CN"];

/**
 * Builds into a folder beside `target`, or `staging`, and swaps; `finish` gets that folder before.
 * @returns how many pages there are.
 */
export async function buildSite(target, finish = () => {}, staging = `${target}-${process.pid}`) {
  try {
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging, { recursive: true });
    const { count } = await writePages(staging);
    finish(staging);
    mkdirSync(target, { recursive: true });
    renameSync(target, `${staging}-old`);
    renameSync(staging, target);
    return count;
  } finally {
    rmSync(staging, { recursive: true, force: true });
    rmSync(`${staging}-old`, { recursive: true, force: true });
  }
}

/** @returns the generator too, for whoever goes on to serve. */
async function writePages(folder) {
  const pages = readPages();
  const files = await clientFiles(folder);
  const eleventy = await generator(folder, pages, files);
  eleventy.disableLogger(); // to stdout, which is not ours; what fails is thrown
  await eleventy.write();
  for (const name of FILES) cpSync(join(root, "docs", name), join(folder, name));
  return { count: pages.size };
}

/** Eleventy over the pages: each is a template by its source, so that `docs/` needs no front matter. */
async function generator(folder, pages, files) {
  const { default: Eleventy } = await import("@11ty/eleventy");
  const markdown = await createMarkdown(pages);
  const { version } = JSON.parse(readFileSync(join(root, "packages/app/package.json"), "utf8"));
  const navigation = Object.fromEntries(LANGUAGES.map((language) => [language, navigationOf(pages, language)]));
  const rendered = new Map();
  const input = relative(process.cwd(), join(root, "scripts/lib/site/client")) || ".";
  return new Eleventy(input, relative(process.cwd(), folder), {
    quietMode: true,
    configPath: false,
    config: (eleventy) => {
      eleventy.setTemplateFormats(["page"]);
      eleventy.addExtension("page", {
        compile: () => (data) => {
          const page = pages.get(data.path);
          rendered.set(page.path, markdown.render(page));
          return documentOf(page, rendered.get(page.path), {
            pages,
            navigation: navigation[page.language],
            files,
            version,
          });
        },
        compileOptions: { permalink: "raw" },
      });
      for (const page of pages.values())
        eleventy.addTemplate(`${page.path}.page`, page.text, { path: page.path, permalink: page.url });
      eleventy.on("eleventy.after", () => writeIndexes(folder, pages, rendered));
    },
  });
}

/** Titles, headings, rows of tables and their texts, one file for each language. */
async function writeIndexes(folder, pages, rendered) {
  const { default: MiniSearch } = await import("minisearch");
  for (const language of LANGUAGES) {
    const index = new MiniSearch(INDEX);
    for (const page of pages.values()) {
      if (page.language !== language || page.path.startsWith("decisions/0")) continue;
      for (const { anchor, heading, text } of rendered.get(page.path).parts)
        index.add({
          id: anchor === "" ? page.url : `${page.url}#${encodeURIComponent(anchor)}`,
          ...{ title: page.title, heading, text },
        });
    }
    writeFileSync(join(folder, `search-${language}.json`), JSON.stringify(index));
  }
}

/** Script and style of the pages, under names that change with what is in them. */
async function clientFiles(folder) {
  const { build } = await import("vite");
  const client = join(root, "scripts/lib/site/client");
  const files = {};
  const modules = [];
  mkdirSync(join(folder, "assets"));
  for (const [name, format] of [
    ["search", "es"],
    ["theme", "iife"],
  ]) {
    const output = await build({
      root: client,
      configFile: false,
      logLevel: "warn",
      publicDir: false,
      build: {
        write: false,
        minify: true,
        target: "es2022",
        lib: { entry: join(client, `${name}.mjs`), formats: [format], name },
      },
    });
    const { code, moduleIds } = [output].flat()[0].output[0];
    modules.push(...moduleIds);
    files[name] = writeHashed(folder, name, "js", code);
  }
  files.style = writeHashed(folder, "style", "css", readFileSync(join(client, "style.css"), "utf8"));
  writeFileSync(join(folder, "NOTICE"), notice(modules));
  return files;
}

function writeHashed(folder, name, kind, text) {
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 8);
  const file = `assets/${name}-${hash}.${kind}`;
  writeFileSync(join(folder, file), text);
  return file;
}
