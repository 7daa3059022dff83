// The door for git, asked by whatever a command may be, over its real socket.
import fs from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitOutside } from "../../src/machine/egress/git-outside.ts";
import { createMachine } from "../builtin/machine.ts";
import { AUTHORIZATION, gitPlace } from "./git-place.ts";

const DOOR = "http://git.margay";
const FETCH = "info/refs?service=git-upload-pack";
const post = { method: "POST", body: "0000" };

test.each([
  ["a page", `${DOOR}/git.test/me/open`],
  ["the dumb protocol", `${DOOR}/git.test/me/open.git/info/refs`],
  ["an object", `${DOOR}/git.test/me/open.git/objects/info/packs`],
  ["another service", `${DOOR}/git.test/me/open.git/info/refs?service=git-upload-archive`],
  ["more of a query", `${DOOR}/git.test/me/open.git/${FETCH}&x=1`],
  ["a path that climbs", `${DOOR}/git.test/me/../you/open.git/${FETCH}`],
  ["a path that is encoded", `${DOOR}/git.test/me/%2e%2e/open.git/${FETCH}`],
  ["an empty name in a path", `${DOOR}/git.test/me//open.git/${FETCH}`],
  ["no repository", `${DOOR}/git.test/${FETCH}`],
  ["an address", `${DOOR}/127.0.0.1/me/open.git/${FETCH}`],
  ["an address as a number", `${DOOR}/2130706433/me/open.git/${FETCH}`],
  ["an address as scp writes it", `${DOOR}/scp:127.0.0.1:me/open.git/${FETCH}`],
  ["a name of this machine", `${DOOR}/loop.test/me/open.git/${FETCH}`],
  ["a name behind a user", `${DOOR}/git.test@loop.test/me/open.git/${FETCH}`],
  ["port 0", `${DOOR}/git.test:0/me/open.git/${FETCH}`],
  ["another port of the door", `${DOOR}:81/git.test/me/open.git/${FETCH}`],
  ["a name like the door's", `http://evil.git.margay/git.test/me/open.git/${FETCH}`],
])("SC28 %s does not pass the door", async (_, url) => {
  const made = await gitPlace();
  expect(await made.ask(url)).toMatch(/^403 \nmargay: /);
  expect(made.dials).toEqual([]);
});

test.each([
  ["another method", `${DOOR}/git.test/me/open.git/${FETCH}`, { method: "PUT" }],
  ["a pack by GET", `${DOOR}/git.test/me/open.git/git-upload-pack`, {}],
  ["a pack that was not announced", `${DOOR}/git.test/me/open.git/git-upload-pack`, post],
  ["LFS", `${DOOR}/git.test/me/open.git/info/lfs/objects/batch`, post],
  ["a tunnel", "git.margay:443", { method: "CONNECT" }],
])("SC28 %s does not pass the door", async (_, url, request) => {
  const made = await gitPlace();
  expect(await made.ask(url, request)).toMatch(/^403/);
  expect(made.dials).toEqual([]);
});

test("SC28 what a program says of itself stays inside: no Authorization, cookie or Host of its own, nor what the server keeps", async () => {
  const made = await gitPlace();
  made.server.instead = (_, response) => {
    response.writeHead(200, { "set-cookie": "a=b", "x-other": "1", "content-type": "application/x-git" }).end("refs");
    return true;
  };
  const own = {
    authorization: "Basic bWluZQ==",
    cookie: "a=b",
    host: "other.test",
    "x-own": "1",
    "proxy-authorization": "x",
  };
  expect(
    await made.ask(`${DOOR}/git.test/me/open.git/${FETCH}`, { headers: { ...own, "git-protocol": "version=2" } }),
  ).toBe("200 \nrefs");
  const [asked] = made.server.asked;
  expect(asked?.url).toBe(`git.test/me/open.git/${FETCH}`);
  expect(Object.keys(asked?.headers ?? {}).sort()).toEqual(["connection", "git-protocol", "host"]);
});

test("SC28 another host gets no password, by no redirect; a page and plain http are no way", async () => {
  const made = await gitPlace();
  const { server } = made;
  let to = `https://other.test/private/new.git/${FETCH}`;
  server.instead = ({ headers }, response) => {
    if (headers.host === "git.test" && headers.authorization === AUTHORIZATION)
      response.writeHead(302, { location: to }).end();
    else response.writeHead(401).end();
    return true;
  };
  const asks = (): Promise<string> => made.ask(`${DOOR}/git.test/private/old.git/${FETCH}`);
  expect(await asks()).toBe(`302 ${DOOR}/other.test/private/new.git/${FETCH}\n`);
  expect(await made.ask(`${DOOR}/other.test/private/new.git/${FETCH}`)).toContain("has none for other.test");
  expect(
    server.asked.filter(({ url }) => url.startsWith("other.test")).map(({ authorization }) => authorization),
  ).toEqual([undefined]);
  expect(made.wishes).toContainEqual(expect.objectContaining({ host: "other.test", credentials: false }));
  for (to of [
    "https://git.test/login",
    `http://git.test/private/new.git/${FETCH}`,
    `https://127.0.0.1/private/new.git/${FETCH}`,
    "file:///etc/passwd",
  ])
    expect([to, await asks()]).toEqual([to, "403 \nmargay: git.test leads to what is no repository\n"]);
});

test("SC28 SC29 a yes is for one verb, one repository, and with the password only where that was said", async () => {
  const made = await gitPlace({
    decide: ({ verb, repository, credentials }) =>
      verb === "fetch" && repository === "git.test/me/open" && !credentials
        ? { ok: true }
        : { ok: false, reason: "no" },
  });
  const { server } = made;
  let wantsPassword = false;
  server.instead = (_, response) => {
    response.writeHead(wantsPassword ? 401 : 200, { "content-type": "application/x-git" }).end("refs");
    return true;
  };
  expect(await made.ask(`${DOOR}/git.test/me/open.git/${FETCH}`)).toBe("200 \nrefs");
  expect(await made.ask(`${DOOR}/git.test/me/open.git/git-upload-pack`, post)).toBe("200 \nrefs");
  const before = server.asked.length;
  expect(await made.ask(`${DOOR}/git.test/me/open.git/info/refs?service=git-receive-pack`)).toBe("403 \nmargay: no\n");
  expect(await made.ask(`${DOOR}/git.test/me/open.git/git-receive-pack`, post)).toMatch(/^403/);
  expect(await made.ask(`${DOOR}/git.test/me/other.git/${FETCH}`)).toBe("403 \nmargay: no\n");
  expect(await made.ask(`${DOOR}/git.test/me/other.git/git-upload-pack`, post)).toMatch(/^403/);
  expect(server.asked.length).toBe(before);
  wantsPassword = true;
  expect(await made.ask(`${DOOR}/git.test/me/open.git/${FETCH}`)).toBe("403 \nmargay: no\n");
  expect(server.asked.every(({ authorization }) => authorization === undefined)).toBe(true);
  expect(made.secrets).toEqual([]);
});

test("SC28 nobody is asked for a password: neither a prompt nor a program that asks", async () => {
  const machine = createMachine();
  onTestFinished(() => machine[Symbol.dispose]());
  const asked = join(machine.state, "asked");
  fs.writeFileSync(join(machine.state, "ask"), `#!/bin/sh\necho x >> ${asked}\necho typed\n`, { mode: 0o755 });
  fs.writeFileSync(join(machine.state, ".gitconfig"), `[core]\n\taskPass = ${join(machine.state, "ask")}\n`);
  const environment = {
    PATH: process.env["PATH"],
    HOME: machine.state,
    GIT_ASKPASS: join(machine.state, "ask"),
    SSH_ASKPASS: join(machine.state, "ask"),
    GIT_TERMINAL_PROMPT: "1",
    GIT_DIR: machine.workspace,
  };
  const git = gitOutside({ program: () => "/usr/bin/git", environment });
  const at = { host: "git.test", port: 443, path: "me/x" };
  expect(await git.credential(at)).toBe(undefined);
  expect(await git.credential({ ...at, path: "me/x\nhost=other.test" })).toBe(undefined);
  expect(await git.identity()).toEqual({});
  expect(fs.existsSync(asked)).toBe(false);
  expect(await gitOutside({ program: () => undefined, environment }).credential(at)).toBe(undefined);
});

test("git-outside/MAX_ANSWER_CHARS: an answer of 64 Ki letters is read, a longer one is none", async () => {
  const machine = createMachine();
  onTestFinished(() => machine[Symbol.dispose]());
  const program = join(machine.state, "git");
  const answers = (length: number): void =>
    fs.writeFileSync(
      program,
      `#!/bin/sh\nprintf 'username=me\\npassword='; head -c ${length - 22} /dev/zero | tr '\\0' x; echo\n`,
      { mode: 0o755 },
    );
  const git = gitOutside({ program: () => program, environment: { PATH: process.env["PATH"] } });
  answers(64 * 1024);
  expect(await git.credential({ host: "git.test", port: 443, path: "x" })).toMatch(/^Basic /);
  answers(64 * 1024 + 1);
  expect(await git.credential({ host: "git.test", port: 443, path: "x" })).toBe(undefined);
});
