// Installs packed packages in empty directories, as each person on each Node, and has them do the main job.
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

import { root } from "../toolchain.mjs";
import { MAX_PROGRAM_BYTES, megabytes } from "./contents.mjs";
import { folderOfNpm, nodes, people, runAs } from "./people.mjs";

/** @param report Gets each line of the table: `(what, whether it went well, detail)`. */
export async function tryOut(packed, { place, isOffline, report }) {
  const program = packed.find(({ name }) => name === "margay");
  const plugins = packed.filter(({ folder }) => folder.startsWith("plugins/"));
  const core = packed.find(({ name }) => name === "@margay/core");
  const node = nodes(join(place, "nodes"));
  const npm = folderOfNpm();
  for (const person of people(join(place, "people"))) {
    const say = (what, ...rest) => report(`${person.who}: ${what}`, ...rest);
    const at = { person, say, path: [node.new, npm], node, npm };
    await globally(at, program);
    await byNpx(at, program);
    await inProject(at, program, plugins);
    if (person.who === "user") await library(at, core, isOffline);
  }
}

async function check(say, what, made, proves) {
  const { code, out, err } = await made;
  const fault = proves({ code, out, err });
  say(what, fault === undefined, fault === undefined ? "" : `${fault}\nexit ${code}\n${out}${err}`.trim());
}

const exits =
  (wanted, pattern = /^/) =>
  ({ code, out, err }) =>
    code === wanted && pattern.test(out + err) ? undefined : `wanted exit ${wanted} and ${pattern}`;

/** npm install -g: `margay` is a command, and texts call it so. */
async function globally({ person, say, path }, program) {
  const prefix = join(person.folder, "global");
  const run = (command) => runAs(person, command, { path: [join(prefix, "bin"), ...path] });
  await check(say, "npm install -g", run(npmInstall(["-g", "--prefix", prefix], program)), exits(0));
  await check(say, "margay --version", run(["margay", "--version"]), exits(0, new RegExp(`^${program.version}\\n$`)));
  await check(
    say,
    "hints say margay",
    run(["margay", "sessions", "show", "nobody"]),
    exits(1, /`margay sessions list/),
  );
}

/** npx from the tarball, with nothing installed. */
async function byNpx({ person, say, path }, program) {
  const empty = folderOf(person, "empty");
  const command = ["npx", "--yes", "--offline", "--package", program.tarball, "margay", "--version"];
  await check(say, "npx", runAs(person, command, { cwd: empty, path }), exits(0, new RegExp(program.version)));
}

function npmInstall(where, { tarball }) {
  return ["npm", "install", ...where, "--offline", "--no-audit", "--no-fund", tarball];
}

function folderOf(person, name) {
  const folder = join(person.folder, name);
  mkdirSync(folder, { recursive: true });
  if (person.ids.uid !== undefined) chownSync(folder, person.ids.uid, person.ids.gid);
  return folder;
}

/** npm install in an empty directory, then everything that the program is for. */
async function inProject(at, program, plugins) {
  const { person, say, path } = at;
  const project = folderOf(person, "project");
  const workspace = folderOf(person, "workspace");
  writeFileSync(join(workspace, "otters.txt"), "Otters hold hands.\n");
  const margay = ["npx", "--no-install", "margay", "--workspace", workspace];
  const run = (words, options) => runAs(person, [...margay, ...words], { cwd: project, path, ...options });
  await check(say, "npm install", runAs(person, npmInstall([], program), { cwd: project, path }), exits(0));
  const bytes = size(join(project, "node_modules"));
  say("installed size", bytes <= MAX_PROGRAM_BYTES, megabytes(bytes));
  await check(
    say,
    "practice: list the files here",
    run(["agent", "-m", "list the files here"]),
    exits(0, /otters\.txt/),
  );
  await check(say, "hints say npx margay", run(["sessions", "show", "nobody"]), exits(1, /npx margay sessions list/));
  await check(say, "gateway answers /health", gateway(at, margay, project), exits(0, /\{"status":"ok"\}/));
  await check(say, "a turn with a provider", turn(at, margay, project), exits(0, /Otters are fine\./));
  // What npm makes of a plugin does not depend on who runs it.
  for (const { name, tarball } of person.who === "user" ? plugins : [])
    await check(say, `plugin add ${name}`, run(["plugin", "add", tarball]), exits(0));
  await onOldNode(at, project, workspace);
}

/** Started, asked, ended: its exit code, and what /health said. */
async function gateway({ person, path }, margay, cwd) {
  // Not through npx: a signal would reach that alone.
  const command = [join(cwd, "node_modules/.bin/margay"), ...margay.slice(3), "gateway", "--no-open", "--port", "0"];
  const { child, ended, said } = runAs(person, command, { cwd, path, wait: false });
  const url = await new Promise((resolve) => {
    const look = () => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said.out)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", look);
    child.on("close", () => resolve(undefined));
  });
  if (url === undefined) return ended;
  const answer = await (await fetch(`${url}/health`)).text();
  child.kill("SIGTERM");
  const { code, err } = await ended;
  return { code, out: answer, err };
}

/** The mock model of the built library stands for a provider: the request goes over HTTP as to any. */
async function turn({ person, path }, margay, cwd) {
  const { says, startMockModel } = await import(pathToFileURL(join(root, "packages/core/dist/testing.js")).href);
  const model = await startMockModel();
  try {
    model.replies(says("Otters are fine."));
    const providers = { mock: { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "key-of-the-mock" } };
    const home = folderOf(person, "provider");
    const config = join(home, "config.json");
    writeFileSync(config, JSON.stringify({ model: "mock/m", providers }), { mode: 0o600 });
    if (person.ids.uid !== undefined) chownSync(config, person.ids.uid, person.ids.gid);
    return await runAs(person, [...margay, "agent", "-m", "how are otters?"], {
      cwd,
      path,
      extra: { MARGAY_HOME: home },
    });
  } finally {
    await model.close();
  }
}

/** The launcher on Node 20: alone it says in one sentence what is missing; with a Node 24 beside it does the job. */
async function onOldNode({ person, say, path, node }, project, workspace) {
  if (node.old === undefined) return say("Node 20", undefined, "left out: there is no Node 20 or 22 on PATH");
  const margay = [join(node.old, "node"), join(project, "node_modules/margay/bin/margay.js")];
  const words = ["--workspace", workspace, "agent", "-m", "list the files here"];
  // A machine has other Nodes than these two perhaps: the first one is asked where there is no PATH.
  const alone = runAs(person, [...margay, ...words], { cwd: project, extra: { PATH: node.old } });
  await check(say, "Node 20 alone: one sentence", alone, exits(1, /^margay needs Node 24\.15 or newer[^\n]*\n$/));
  const found = runAs(person, [...margay, ...words], { cwd: project, path });
  await check(say, "Node 20, a newer one on PATH: the job", found, exits(0, /otters\.txt/));
  const own = join(project, "node_modules/node/bin");
  mkdirSync(own, { recursive: true });
  if (!existsSync(join(own, "node"))) symlinkSync(join(node.new, "node"), join(own, "node"));
  const beside = runAs(person, [...margay, ...words], { cwd: project, extra: { PATH: node.old } });
  await check(say, "Node 20, the package node beside it: the job", beside, exits(0, /otters\.txt/));
}

/** The library, with the packages it names from the registry. */
async function library({ person, say, path }, core, isOffline) {
  if (isOffline) return say("library", undefined, "left out: its packages come from the registry");
  const cwd = folderOf(person, "library");
  const install = ["npm", "install", "--no-audit", "--no-fund", core.tarball];
  await check(say, "npm install @margay/core", runAs(person, install, { cwd, path }), exits(0));
  folderOf(person, "library/workspace");
  writeFileSync(join(cwd, "turn.mjs"), LIBRARY);
  await check(
    say,
    "a turn of the library",
    runAs(person, ["node", "turn.mjs"], { cwd, path }),
    exits(0, /It says: hello/),
  );
}

const LIBRARY = `
import { createAgentLoop, providerFromChat } from "@margay/core";
const provider = providerFromChat((messages) => ({ content: "It says: " + messages.at(-1).content }));
await using loop = await createAgentLoop({ provider, workspace: "workspace", directory: "state" });
console.log(await loop.processDirect("hello"));
`;

function size(path) {
  const stat = statSync(path);
  if (stat.isFile()) return basename(path) === ".package-lock.json" ? 0 : stat.size;
  return readdirSync(path).reduce((sum, name) => sum + size(join(path, name)), 0);
}
