// Every key, command, tool, error, route and event has its place in the built documentation, in both languages, and no link is broken.
import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ERROR_CODES } from "@margay/core";
import { COMMANDS } from "../../src/features.ts";
import { DOCTOR_CHECKS } from "../../src/compose/doctor-checks.ts";
import { ROUTES } from "../../src/compose/routes.ts";
import { KEYS } from "../../src/config/keys.ts";
import { PROBLEMS } from "../../src/host/api/problem.ts";
import { AUDIT_EVENTS } from "../../src/host/audit-events.ts";
import { CLIENT_FRAMES, SERVER_FRAMES, TOPICS } from "../../src/protocol/frames.ts";
import { startGateway } from "../gateway/support.ts";
import { ROOT } from "./pages.ts";

const HELP = join(ROOT, "packages/app/dist/help");

/** Path below `/help/` → text, as it was packed. */
function siteFiles(): ReadonlyMap<string, string> {
  const manifest = JSON.parse(readFileSync(join(HELP, "manifest.json"), "utf8")) as Record<string, { gz: string }>;
  return new Map(
    Object.values(manifest).map(({ gz }) => [
      gz.replace(/\.gz$/, ""),
      gunzipSync(readFileSync(join(HELP, gz))).toString("utf8"),
    ]),
  );
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

function idsIn(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => unescaped(id)));
}

/** @returns names that the page lacks, in either language. */
function lacking(files: ReadonlyMap<string, string>, page: string, names: readonly string[]): readonly string[] {
  return ["", "zh-CN/"].flatMap((language) => {
    const ids = idsIn(files.get(`${language}${page}`) ?? "");
    return names.filter((name) => !ids.has(name)).map((name) => `${language}${page}#${name}`);
  });
}

test("each key, command, error, refusal, route and check has an anchor in both languages", () => {
  const files = siteFiles();
  const commands = COMMANDS.map(({ name }) => ["margay", name].filter(Boolean).join("-").replaceAll(" ", "-"));
  const routes = ROUTES.map(({ id }) => id);
  const checks = [...Object.keys(DOCTOR_CHECKS.machine), ...Object.keys(DOCTOR_CHECKS.configured)];
  const found = [
    ...lacking(
      files,
      "configuration.html",
      KEYS.map(({ path }) => path),
    ),
    ...lacking(files, "reference/commands.html", commands),
    ...lacking(files, "errors.html", Object.keys(ERROR_CODES)),
    ...lacking(files, "reference/routes.html", [...routes, ...Object.keys(PROBLEMS)]),
    ...lacking(files, "troubleshooting.html", checks),
  ];
  expect(found).toEqual([]);
  expect([KEYS.length, commands.length, routes.length].every((count) => count > 90)).toBe(true);
});

test("each error stands in the troubleshooting too, with a link to its line", () => {
  const files = siteFiles();
  for (const page of ["troubleshooting.html", "zh-CN/troubleshooting.html"]) {
    const links = new Set(
      [...(files.get(page) ?? "").matchAll(/href="[^"]*errors\.html#([^"]*)"/g)].map(([, id]) => id),
    );
    expect(Object.keys(ERROR_CODES).filter((code) => !links.has(code))).toEqual([]);
  }
});

test("each tool, frame, topic, record and event of the audit log has an anchor in both languages", async (t) => {
  const files = siteFiles();
  const { app } = await startGateway(t);
  const tools = app.inside.tools.list().map(({ name }) => name);
  const journal = readFileSync(join(ROOT, "packages/core/src/journal/upgrade.ts"), "utf8");
  const records = [...journal.matchAll(/^ {2}"([\w.-]+)": true,$/gm)].map(([, type = ""]) => type);
  const events = [...Object.keys(CLIENT_FRAMES), ...Object.keys(SERVER_FRAMES), ...TOPICS, ...records, ...AUDIT_EVENTS];
  expect(lacking(files, "reference/tools.html", tools)).toEqual([]);
  expect(lacking(files, "reference/events.html", events)).toEqual([]);
  expect(tools.length).toBeGreaterThan(10);
  expect(records.length).toBeGreaterThan(40);
});

test("no link of the built pages is broken, and none leads to an address that is asked for by the page itself", () => {
  const files = siteFiles();
  const ids = new Map([...files].map(([path, html]) => [path, idsIn(html)]));
  let links = 0;
  const broken: string[] = [];
  for (const [path, html] of files) {
    if (!path.endsWith(".html")) continue;
    for (const [, name = "", value = ""] of html.matchAll(/\s(href|src|data-index)="([^"]*)"/g)) {
      if (/^(?:https?:|mailto:)/.test(value) && name === "href") continue; // of a text: nobody follows it unasked
      links += 1;
      const [file = "", anchor = ""] = unescaped(value).split("#");
      const target = file === "" ? path : posix.normalize(posix.join(dirname(path), file));
      const known = ids.get(target);
      if (known === undefined || (anchor !== "" && !known.has(decodeURIComponent(anchor))))
        broken.push(`${path}: ${value}`);
    }
  }
  expect(broken).toEqual([]);
  expect(links).toBeGreaterThan(5000);
});

test("no page holds a script or a style of its own", () => {
  const own = [...siteFiles()].filter(
    ([path, html]) => path.endsWith(".html") && /<style|\sstyle="|<script>|\son\w+="/.test(html),
  );
  expect(own.map(([path]) => path)).toEqual([]);
});
