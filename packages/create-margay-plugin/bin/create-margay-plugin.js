#!/usr/bin/env node
// npm create margay-plugin: writes the package of a plugin from templates/, and nothing over what is there.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";

const here = import.meta.dirname;
const KINDS = ["tool", "hook", "provider", "channel"];
const NAME = /^[a-z][a-z0-9-]{0,23}$/;
const SUFFIX = ".template"; // so that no tool of this repository takes them for sources of its own

const TEXTS = {
  en: {
    usage: "npm create margay-plugin@latest -- --kind tool|hook|provider|channel --name NAME [FOLDER]",
    kind: "What does it add: tool, hook, provider or channel? ",
    name: "Its name (lower case letters, digits, -): ",
    badKind: (kind) => `There is no kind "${kind}". Say --kind tool, hook, provider or channel.`,
    badName: (name) =>
      `"${name}" is no name of a plugin. Say --name with a letter and up to 23 more of a-z, 0-9 and -.`,
    taken: (folder) => `${folder} is there and not empty. Name another folder.`,
    missing: "The kind or the name is missing.",
    done: (folder) => `The plugin is in ${folder}. Next:`,
    failed: (why) => `The plugin could not be written: ${why}. Look at the folder and try again.`,
  },
  zh: {
    usage: "npm create margay-plugin@latest -- --kind tool|hook|provider|channel --name 名称 [文件夹]",
    kind: "它提供什么：tool（工具）、hook（钩子）、provider（模型服务商）还是 channel（渠道）？ ",
    name: "名称（小写字母、数字、-）： ",
    badKind: (kind) => `没有“${kind}”这种插件。请用 --kind 指定 tool、hook、provider 或 channel。`,
    badName: (name) => `“${name}”不能作为插件名称。请用 --name 指定：以小写字母开头，最多 24 个 a-z、0-9 和 -。`,
    taken: (folder) => `${folder} 已存在且不为空。请换一个文件夹。`,
    missing: "缺少种类或名称。",
    done: (folder) => `插件已写入 ${folder}。接下来：`,
    failed: (why) => `无法写入插件：${why}。请检查该文件夹后重试。`,
  },
};
// oxlint-disable-next-line eslint/no-restricted-properties -- a program of its own: there is no config/ here
const { LC_ALL, LC_MESSAGES, LANG } = process.env;
const language = /^zh/i.test(LC_ALL || LC_MESSAGES || LANG || "") ? "zh" : "en";

process.exitCode = await main(TEXTS[language]);

async function main(texts) {
  let given;
  try {
    given = parseArgs({
      options: { kind: { type: "string" }, name: { type: "string" }, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
  } catch (error) {
    return refuse(`${error.message}\n${texts.usage}`);
  }
  const { values, positionals } = given;
  if (values.help) return say(texts.usage);
  if (positionals.length > 1) return refuse(texts.usage);
  const { kind, name } = await complete(values, texts);
  if (kind === undefined || name === undefined) return refuse(`${texts.missing}\n${texts.usage}`);
  if (!KINDS.includes(kind)) return refuse(texts.badKind(kind));
  if (!NAME.test(name)) return refuse(texts.badName(name));
  const folder = positionals[0] ?? `margay-${kind}-${name}`;
  const path = resolve(folder);
  try {
    if (existsSync(path) && readdirSync(path).length > 0) return refuse(texts.taken(folder));
    write(path, kind, name);
  } catch (error) {
    return refuse(texts.failed(error.message));
  }
  const there = relative(process.cwd(), path);
  const steps = [...(there === "" ? [] : [`cd ${there}`]), "npm install", "npm test", "margay plugin add ."];
  return say([texts.done(folder), ...steps.map((step) => `  ${step}`)].join("\n"));
}

function say(text) {
  process.stdout.write(`${text}\n`);
  return 0;
}

function refuse(text) {
  process.stderr.write(`${text}\n`);
  return 1;
}

/** Asks for what was not said, where somebody sits in front of it. */
async function complete({ kind, name }, texts) {
  if ((kind !== undefined && name !== undefined) || !process.stdin.isTTY) return { kind, name };
  const person = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return {
      kind: kind ?? (await person.question(texts.kind)).trim(),
      name: name ?? (await person.question(texts.name)).trim(),
    };
  } finally {
    person.close();
  }
}

function write(path, kind, name) {
  const { version } = JSON.parse(readFileSync(join(here, "../package.json"), "utf8"));
  const words = {
    KIND: kind,
    NAME: name,
    TITLE: name.replace(/(?:^|-)([a-z0-9])/g, (_, letter) => ` ${letter.toUpperCase()}`).trim(),
    ENV: name.toUpperCase().replaceAll("-", "_"),
    PACKAGE: `margay-${kind}-${name}`,
    VERSION: version,
  };
  for (const from of ["all", kind]) {
    const templates = join(here, "../templates", from);
    for (const file of readdirSync(templates, { recursive: true }).filter((one) => one.endsWith(SUFFIX))) {
      const text = readFileSync(join(templates, file), "utf8");
      const target = join(path, file.slice(0, -SUFFIX.length).replace(/(^|\/)_/, "$1."));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(
        target,
        text.replaceAll(/__([A-Z]+)__/g, (all, word) => words[word] ?? all),
        { flag: "wx" },
      );
    }
  }
}
