// The question while a command runs, through the whole gateway: real sandbox, real curl and git, a server on this machine.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { callsTool, fakeClock, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "../cli/harness.ts";
import { start as startProcess, startGateway as startProgram } from "../durability/running.ts";
import type { Frame } from "./frames.ts";
import { startGateway, type TestGateway } from "./support.ts";

interface Outside {
  /** `localhost:port`, a name that the sandbox sends to the proxy when it is told to. */
  readonly host: string;
  readonly requests: string[];
}

/** @param files Answers by path. */
async function outside(files: Readonly<Record<string, Buffer | string>> = {}): Promise<Outside> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    requests.push(path);
    const body = files[path] ?? (Object.keys(files).length === 0 ? "fetched" : undefined);
    response.writeHead(body === undefined ? 404 : 200).end(body ?? "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { host: `localhost:${(server.address() as AddressInfo).port}`, requests }; // TCP
}

/** Hosts of this machine are no private addresses here: nobody needs an internet to test. */
const opening = (...hosts: readonly Outside[]): JsonObject => ({
  tools: { webFetch: { allowHosts: hosts.map(({ host }) => host) } },
});
const curl = (url: string): string => `echo run >> runs; curl -sS --noproxy '' ${url}`;
const said = { parts: [{ type: "text", text: "go" }] };

async function pending(gateway: TestGateway): Promise<readonly Frame[]> {
  return (await gateway.api("/approvals")).body.items as readonly Frame[];
}

async function question(gateway: TestGateway, about: string): Promise<Frame> {
  const found = async () =>
    (await pending(gateway)).find(({ display, late }) => String(display).endsWith(about) && late !== true);
  await expect.poll(found, { timeout: 20_000 }).toBeDefined();
  return (await found()) ?? {};
}

const answer = (gateway: TestGateway, { session, call, hash }: Frame, body: object) =>
  gateway.api(`/sessions/${session}/approvals/${call}`, { method: "POST", body: { hash, ...body } });

/** After a stranger's text was read the command itself is asked about. */
async function letRun(gateway: TestGateway, end: string): Promise<void> {
  const asked = await question(gateway, end);
  expect(asked["during"]).toBeUndefined();
  await answer(gateway, asked, { verdict: "allow" });
}

const begin = async (gateway: TestGateway): Promise<string> =>
  (await gateway.api("/sessions", { method: "POST", body: { message: said } })).body.id as string;

/** What the model was told of a call. */
const told = (gateway: TestGateway, request: number): string =>
  JSON.stringify(gateway.model.requests[request]?.messages.at(-1));

const runs = (workspace: string): number => readFileSync(join(workspace, "runs"), "utf8").trim().split("\n").length;

/** A command of another process, which asks the one that holds the state directory. */
async function margayAt({ home }: TestGateway, ...argv: readonly string[]): Promise<string> {
  const { ended, out, err } = startProcess({ home, directory: join(home, "..") }, {}, ...argv);
  await ended;
  return `${out()}${err()}`;
}

const egress = async (gateway: TestGateway): Promise<readonly Frame[]> => {
  const { items } = (await gateway.api("/audit?kind=event&limit=100")).body as { readonly items: readonly Frame[] };
  return items.filter(({ name }) => name === "egress").map(({ data }) => data as Frame);
};

test("SC20 curl waits for the yes of a person at the gateway and goes on without being run again", async (t) => {
  const site = await outside();
  const gateway = await startGateway(t, { config: opening(site) });
  gateway.model.replies(callsTool("exec", { command: curl(`http://${site.host}/a`) }), says("done"));
  await begin(gateway);
  const asked = await question(gateway, ` wants ${site.host}`);
  expect(asked).toMatchObject({ tool: "exec", rule: "network", during: true, choices: ["once", "session", "always"] });
  expect(asked["rulePreview"]).toBe(`exec: connections to ${site.host}`);
  expect((await gateway.api("/sessions?state=waiting")).body.items).toMatchObject([{ approvals: 1 }]);
  expect([runs(gateway.workspace), site.requests]).toEqual([1, []]);
  expect((await answer(gateway, asked, { verdict: "allow", hash: "0".repeat(64) })).status).toBe(412);
  const done = await answer(gateway, asked, { verdict: "allow" });
  expect([done.status, done.body.resolved]).toMatchObject([200, { verdict: "allow", by: "user" }]);
  await gateway.app.agent.idle();
  expect([runs(gateway.workspace), site.requests]).toEqual([1, ["/a"]]);
  expect(told(gateway, 1)).toContain("fetched");
  expect((await answer(gateway, asked, { verdict: "allow" })).status).toBe(409);
  expect(await pending(gateway)).toEqual([]);
  expect(readdirSync(join(gateway.home, "egress"))).toEqual([]);
  const lines = await egress(gateway);
  const call = { by: "exec", call: asked["call"], session: asked["session"], host: "localhost" };
  expect(lines).toContainEqual(
    expect.objectContaining({ ...call, allowed: true, command: curl(`http://${site.host}/a`) }),
  );
  expect(lines).toContainEqual(expect.objectContaining({ ...call, closed: true, received: expect.any(Number) }));
});

test("egress/MAX_COMMAND_CHARS: a command line stands in the log with 500 characters, not with 501", async (t) => {
  const gateway = await startGateway(t, { config: opening() });
  const logged = async (chars: number): Promise<number> => {
    const command = "curl -s http://a.lan/ #".padEnd(chars, "x");
    gateway.model.replies(callsTool("exec", { command }), says("done"));
    await gateway.app.agent.send(`web:${String(chars)}`, "go", { attended: false }).finished;
    return String((await egress(gateway))[0]?.["command"]).length;
  };
  expect([await logged(500), await logged(501)]).toEqual([500, 500]);
});

test("SC20 a no is told to the command and to the model, and the next call asks anew", async (t) => {
  const site = await outside();
  const gateway = await startGateway(t, { config: opening(site) });
  const command = curl(`-f http://${site.host}/a`);
  gateway.model.replies(callsTool("exec", { command }), callsTool("exec", { command }), says("done"));
  await begin(gateway);
  const first = await question(gateway, site.host);
  await answer(gateway, first, { verdict: "deny" });
  await expect.poll(async () => (await question(gateway, site.host))["call"]).not.toBe(first["call"]);
  expect(told(gateway, 1)).toContain(`margay: ${site.host} is not allowed: a person said no`);
  await answer(gateway, await question(gateway, site.host), { verdict: "deny" });
  await gateway.app.agent.idle();
  expect(site.requests).toEqual([]);
});

test("SC20 two hosts of one command are asked about one after the other; an answer is for its own", async (t) => {
  const [one, two] = [await outside(), await outside()];
  const gateway = await startGateway(t, { config: opening(one, two) });
  const command = `${curl(`http://${one.host}/1`)} & curl -sS --noproxy '' http://${two.host}/2 & wait`;
  gateway.model.replies(callsTool("exec", { command }), says("done"));
  await begin(gateway);
  await expect.poll(async () => (await pending(gateway)).length, { timeout: 20_000 }).toBe(1);
  const [first = {}] = await pending(gateway);
  await answer(gateway, first, { verdict: "allow" });
  const left = String(first["display"]).endsWith(one.host) ? two : one;
  const second = await question(gateway, left.host);
  expect((await answer(gateway, { ...second, hash: first["hash"] }, { verdict: "allow" })).status).toBe(412);
  await answer(gateway, second, { verdict: "deny" });
  await gateway.app.agent.idle();
  expect([one.requests.length + two.requests.length, left.requests]).toEqual([1, []]);
});

test("SC20 after 45 seconds the connection is refused, and a later yes counts for the next call, once", async (t) => {
  const site = await outside();
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock, config: opening(site) });
  const wait = "while [ ! -e go ]; do :; done";
  gateway.model.replies(
    callsTool("exec", { command: `curl -s --noproxy '' http://${site.host}/a; ${wait}` }),
    callsTool("exec", { command: `curl -s --noproxy '' http://${site.host}/b` }),
    callsTool("exec", { command: `curl -s --noproxy '' http://${site.host}/c` }),
    says("done"),
  );
  await begin(gateway);
  const asked = await question(gateway, site.host);
  await clock.waitForSleep(45_000, 45_000);
  await clock.advance(45_000);
  await expect.poll(async () => (await pending(gateway)).map(({ late }) => late)).toEqual([true]);
  await answer(gateway, asked, { verdict: "allow" });
  expect(site.requests).toEqual([]);
  writeFileSync(join(gateway.workspace, "go"), "");
  await letRun(gateway, "/c");
  const third = await question(gateway, ` wants ${site.host}`); // the call before took the yes
  expect(site.requests).toEqual(["/b"]);
  expect(told(gateway, 1)).toContain("nobody answered within 45 s");
  await answer(gateway, third, { verdict: "deny" });
  await gateway.app.agent.idle();
  expect(site.requests).toEqual(["/b"]);
});

test("SC20 a question ends with its turn when nobody answers", async (t) => {
  const site = await outside();
  const gateway = await startGateway(t, { config: opening(site) });
  // curl gives up long before the question does.
  gateway.model.replies(
    callsTool("exec", { command: `curl -s -m 1 --noproxy '' http://${site.host}/a` }),
    says("done"),
  );
  const id = await begin(gateway);
  const asked = await question(gateway, site.host);
  await gateway.app.agent.idle();
  expect(await pending(gateway)).toEqual([]);
  expect((await gateway.api("/sessions?state=waiting")).body.items).toEqual([]);
  expect((await answer(gateway, asked, { verdict: "allow" })).status).toBe(410);
  expect((await gateway.api(`/sessions/${id}`)).body.approvals).toBe(0);
});

test("SC21 where nobody is, the host is refused at once; a saved rule holds there", async (t) => {
  const site = await outside();
  const gateway = await startGateway(t, { config: opening(site) });
  const command = `curl -s --noproxy '' http://${site.host}/a`;
  gateway.model.replies(callsTool("exec", { command }), says("done"));
  await gateway.app.agent.send("web:job", "go", { attended: false }).finished;
  expect(told(gateway, 1)).toContain("margay: localhost is not allowed; nobody was there to ask");
  expect(await pending(gateway)).toEqual([]);

  gateway.model.replies(callsTool("exec", { command }), says("done"));
  await begin(gateway);
  await answer(gateway, await question(gateway, site.host), { verdict: "allow", remember: "always" });
  await gateway.app.agent.idle();
  gateway.model.replies(callsTool("exec", { command }), says("done"));
  await gateway.app.agent.send("web:job2", "go", { attended: false }).finished;
  expect(site.requests).toEqual(["/a", "/a"]);

  // It can be seen with who made it, and taken back.
  const { body } = await gateway.api("/policy/rules");
  expect(body).toMatchObject([
    { tool: "exec", covers: `exec: connections to ${site.host}`, by: "user", at: expect.any(Number) },
  ]);
  expect((await gateway.api(`/policy/rules/${body[0].id}`, { method: "DELETE" })).status).toBe(204);
  gateway.model.replies(callsTool("exec", { command }), says("done"));
  await gateway.app.agent.send("web:job3", "go", { attended: false }).finished;
  expect(site.requests).toHaveLength(2);
});

test("SC22 rules are seen and taken back in a chat and in the terminal, with who made them and when", async (t) => {
  const site = await outside();
  const gateway = await startGateway(t, { config: opening(site) });
  const command = `curl -s --noproxy '' http://${site.host}/a`;
  gateway.model.replies(callsTool("exec", { command }), says("done"));
  const id = await begin(gateway);
  await answer(gateway, await question(gateway, site.host), { verdict: "allow", remember: "always" });
  await gateway.app.agent.idle();
  const type = async (text: string): Promise<string> => {
    await gateway.api(`/sessions/${id}/messages`, { method: "POST", body: { parts: [{ type: "text", text }] } });
    const { items } = (await gateway.api(`/sessions/${id}/messages`)).body as { readonly items: readonly Frame[] };
    return String(items.findLast(({ kind, notice }) => kind === "notice" && notice === "command")?.["text"]);
  };
  const covers = `exec: connections to ${site.host}`;
  const shown = await type("/rules");
  expect(shown).toContain(covers);
  expect(shown).toMatch(/by user, 20\d\d-/);
  const [rule] = gateway.app.inside.savedRules.list();
  const listed = await margayAt(gateway, "approvals", "rules");
  expect(listed).toContain(covers);
  expect(listed).toContain("said by user");
  expect(await type("/rules remove zzzz")).toContain("There is no rule");
  expect(await type(`/rules remove ${rule?.id.slice(0, 8)}`)).toContain(covers);
  expect(gateway.app.inside.savedRules.list()).toEqual([]);
  await gateway.app.inside.savedRules.save(
    { rule: "network", tool: "exec", scope: { host: "a.test", port: 443 }, shown: "x" },
    "user",
  );
  const [again] = gateway.app.inside.savedRules.list();
  expect(await margayAt(gateway, "approvals", "forget", again?.id.slice(0, 8) ?? "")).toContain("Asked about again");
  expect(gateway.app.inside.savedRules.list()).toEqual([]);
});

test("SC22 a yes for this chat holds in it until /new", async (t) => {
  const site = await outside();
  const gateway = await startGateway(t, { config: opening(site) });
  const command = `curl -s --noproxy '' http://${site.host}/a`;
  gateway.model.replies(callsTool("exec", { command }), callsTool("exec", { command }), says("done"));
  const id = await begin(gateway);
  await answer(gateway, await question(gateway, ` wants ${site.host}`), { verdict: "allow", remember: "session" });
  await letRun(gateway, command);
  await gateway.app.agent.idle();
  expect(site.requests).toHaveLength(2);
  const send = (text: string) =>
    gateway.api(`/sessions/${id}/messages`, { method: "POST", body: { parts: [{ type: "text", text }] } });
  await send("/new");
  await gateway.app.agent.idle();
  gateway.model.replies(callsTool("exec", { command }), says("done"));
  await send("again");
  await answer(gateway, await question(gateway, ` wants ${site.host}`), { verdict: "deny" });
  await gateway.app.agent.idle();
  expect(site.requests).toHaveLength(2);
});

test("SC21 after a stranger's text no answer is kept, and what came from the host is one", async (t) => {
  const site = await outside();
  const gateway = await startGateway(t, { config: opening(site) });
  const command = `curl -s --noproxy '' http://${site.host}/a -o page.txt`;
  gateway.model.replies(callsTool("exec", { command }), callsTool("exec", { command }), says("done"));
  await begin(gateway);
  await answer(gateway, await question(gateway, site.host), { verdict: "allow" }); // from here on the context is a stranger's
  await letRun(gateway, command);
  const asked = await question(gateway, ` wants ${site.host}`);
  expect(asked).toMatchObject({ choices: ["once"], risk: ["untrusted-content"] });
  const kept = await answer(gateway, asked, { verdict: "allow", remember: "always" });
  expect(kept.status).toBe(422);
  await answer(gateway, asked, { verdict: "allow" });
  await gateway.app.agent.idle();
  // SC23: what the command wrote is labelled by the host.
  const labels = readFileSync(join(gateway.home, "file-labels.jsonl"), "utf8");
  expect(labels).toContain("page.txt");
  expect(labels).toContain("network localhost");
});

test("SC20 git waits for the answer to its connection", async (t) => {
  const files: Record<string, Buffer> = {};
  const site = await outside(files);
  const gateway = await startGateway(t, { config: opening(site) });
  const bare = join(gateway.home, "..", "r.git");
  const work = join(gateway.home, "..", "w");
  const git = (...argv: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...argv], { stdio: "ignore" });
  git("init", work);
  writeFileSync(join(work, "hello.txt"), "from outside\n");
  git("-C", work, "add", "-A");
  git("-C", work, "commit", "-m", "one");
  git("clone", "--bare", work, bare);
  git("-C", bare, "update-server-info");
  for (const entry of readdirSync(bare, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files[`/r.git${path.slice(bare.length)}`] = readFileSync(path);
    }
  const command = `NO_PROXY= no_proxy= git clone -q http://${site.host}/r.git c && cat c/hello.txt`;
  gateway.model.replies(callsTool("exec", { command }), says("done"));
  await begin(gateway);
  await answer(gateway, await question(gateway, ` wants ${site.host}`), { verdict: "allow" });
  await gateway.app.agent.idle();
  expect(told(gateway, 1)).toContain("from outside");
});

test("SC20 killed while the question is open: after the restart the call is settled and nothing waits for ever", async () => {
  const site = await outside();
  const made = margay();
  mkdirSync(made.home, { recursive: true, mode: 0o700 });
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const config = { ...modelConfig(model.url), ...opening(site) };
  model.replies(callsTool("exec", { command: curl(`http://${site.host}/a`) }), says("done"), says("done"));
  writeFileSync(join(made.home, "config.json"), JSON.stringify(config), { mode: 0o600 });
  const first = await startProgram(made);
  const open = async (gateway: typeof first): Promise<readonly Frame[]> =>
    ((await gateway.api("/approvals")).body["items"] ?? []) as readonly Frame[];
  const { body } = await first.api("/sessions", { message: said });
  await expect.poll(() => open(first), { timeout: 30_000 }).toHaveLength(1);
  first.kill("SIGKILL");
  await first.ended;
  expect(readdirSync(join(made.home, "egress"))).toHaveLength(1); // nobody could remove it
  const second = await startProgram(made);
  const state = async (): Promise<unknown> => (await second.api(`/sessions/${String(body["id"])}`)).body["state"];
  await expect.poll(state, { timeout: 30_000 }).toBe("idle");
  expect(await open(second)).toEqual([]);
  expect(site.requests).toEqual([]);
  expect(model.requests.length).toBe(2);
}, 90_000);
