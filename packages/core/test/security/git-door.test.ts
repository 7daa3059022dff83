// Real git in the real sandbox, a real git server behind https, and the operator's real git outside that keeps a password.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { execTool } from "../../src/builtin/exec.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { EgressAttempt } from "../../src/platform/egress-proxy.ts";
import { openEgressSocket } from "../../src/platform/egress-socket.ts";
import type { GitAnswer, GitWish } from "../../src/platform/git-door.ts";
import { gitOutside } from "../../src/platform/git-outside.ts";
import { openSandbox } from "../../src/sandbox/open-sandbox.ts";
import { createMachine, textOf } from "../builtin/machine.ts";
import { type GitServer, startGitServer } from "./git-server.ts";

const PASSWORD = "s3cret:of the operator";
const AUTHORIZATION = `Basic ${Buffer.from(`me:${PASSWORD}`).toString("base64")}`;

interface Place {
  readonly server: GitServer;
  readonly workspace: string;
  readonly state: string;
  readonly attempts: readonly EgressAttempt[];
  readonly wishes: readonly GitWish[];
  readonly dials: readonly string[];
  readonly secrets: readonly string[];
  run(command: string): Promise<string>;
}

interface PlaceOptions {
  readonly decide?: (wish: GitWish) => GitAnswer;
  /** What the operator's credential helper keeps for `git.test`. */
  readonly kept?: string;
}

/** Whatever is below `/private/`, and every push, wants the password. */
async function place({ decide = () => ({ ok: true }), kept = PASSWORD }: PlaceOptions = {}): Promise<Place> {
  const machine = createMachine();
  const { workspace, state } = machine;
  const outside = join(state, "outside");
  fs.mkdirSync(outside, { mode: 0o700 });
  const server = await startGitServer(outside, ["git.test", "other.test", "loop.test"], ({ url = "", headers }) =>
    /^\/private\/|receive-pack/.test(url) ? headers.authorization === AUTHORIZATION : true,
  );
  fs.writeFileSync(
    join(outside, ".gitconfig"),
    '[credential]\n\thelper = "!f() { cat > /dev/null; echo username=me; echo \\"password=$KEPT\\"; }; f"\n[user]\n\tname = Ada \\"L\\" \\\\o/\n\temail = ada@example.org\n',
  );
  const attempts: EgressAttempt[] = [];
  const wishes: GitWish[] = [];
  const dials: string[] = [];
  const secrets: string[] = [];
  const git = gitOutside({
    program: () => "/usr/bin/git",
    environment: { PATH: process.env["PATH"], HOME: outside, KEPT: kept },
    secret: (text) => void secrets.push(text),
  });
  const egress = openEgressSocket({
    directory: join(state, "egress"),
    clock: systemClock(),
    hosts: () => [],
    record: (attempt) => void attempts.push(attempt),
    resolve: async (name) => (name.startsWith("loop.") ? ["127.0.0.1"] : ["93.184.216.34"]),
    connect: (address, port) => {
      dials.push(`${address}:${port}`);
      return net.connect(server.port, "127.0.0.1");
    },
    git: {
      decide: async (wish) => {
        wishes.push(wish);
        return decide(wish);
      },
      credential: (target) => (target.host === "git.test" ? git.credential(target) : Promise.resolve(undefined)),
    },
  });
  onTestFinished(async () => {
    await egress[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    machine[Symbol.dispose]();
  });
  const sandbox = openSandbox({
    mode: "required",
    workspace,
    state,
    searchPath: process.env["PATH"] ?? "",
    git: git.identity,
  });
  const tool = execTool({ directory: join(state, "exec"), environment: process.env, sandbox, egress });
  return {
    server,
    workspace,
    state,
    attempts,
    wishes,
    dials,
    secrets,
    run: async (command) => textOf(await machine.run(tool, { command })),
  };
}

/** With one commit. */
function filled({ server, state }: Place, path: string): string {
  const bare = server.repository(path);
  const work = join(state, "outside", `work-${path.replaceAll("/", "-")}`);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" });
  git("clone", "-q", bare, work);
  fs.writeFileSync(join(work, "README.md"), "hello from outside\n");
  git("-C", work, "add", ".");
  git("-C", work, "commit", "-qm", "first");
  git("-C", work, "push", "-q", "origin", "HEAD:main");
  return bare;
}

test("SC27 a commit works at the first try as the operator, and a repository's own identity wins", async () => {
  const { run } = await place();
  expect(
    await run(
      "git init -q r && cd r && echo a > a && git add a && git commit -qm one && git log --format='%an <%ae> %D'",
    ),
  ).toContain('Ada "L" \\o/ <ada@example.org> HEAD -> main');
  const own =
    "git config -f /tmp/c user.name Own; cd r && git -c user.name=Own -c user.email=own@x commit -q --allow-empty -m two && git log -1 --format='%an <%ae>'";
  expect(await run(own)).toContain("Own <own@x>");
  expect(await run("git config --global --list")).toContain("core.trustctime=false");
});

test("SC28 clone, commit, fetch and push with a password that is nowhere in the sandbox", async () => {
  const made = await place();
  const { run, server, state, workspace, secrets, wishes } = made;
  const bare = filled(made, "private/proj.git");
  expect(await run("git clone -q https://git.test/private/proj.git && cat proj/README.md")).toContain(
    "hello from outside",
  );
  expect(await run("cd proj && echo more >> README.md && git commit -qam second && git push 2>&1")).toContain(
    "main -> main",
  );
  expect(execFileSync("git", ["-C", bare, "log", "--format=%an %s", "main"], { encoding: "utf8" })).toContain(
    'Ada "L" \\o/ second',
  );
  expect(await run("cd proj && git fetch -q && git status -sb")).toContain("## main...origin/main");
  expect(secrets).toEqual(expect.arrayContaining([PASSWORD]));
  expect(wishes).toContainEqual({
    host: "git.test",
    port: 443,
    repository: "git.test/private/proj",
    verb: "push",
    credentials: true,
  });
  // Inside, and in all that was written down outside but for the operator's own helper.
  const [, encoded = ""] = AUTHORIZATION.split(" ");
  const hidden = (text: string): string => `${text.slice(0, 6)}[${text.slice(6, 7)}]${text.slice(7)}`; // not to find itself
  const search = `grep -raE '${hidden(PASSWORD)}|${hidden(encoded)}' / --exclude-dir=sys --exclude-dir=usr 2> /dev/null; env; cat /proc/*/environ`;
  const seen = await run(search);
  expect([seen.includes(PASSWORD), seen.includes(encoded)]).toEqual([false, false]);
  const written = fs
    .readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("/outside"))
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), "latin1"));
  for (const text of written) expect(text).not.toContain(PASSWORD);
  expect(JSON.stringify(made.attempts)).not.toContain(PASSWORD);
  expect(fs.readFileSync(join(workspace, "proj/.git/config"), "utf8")).toContain(
    "url = https://git.test/private/proj.git",
  );
  expect(server.asked.filter(({ headers }) => headers["git-protocol"] === "version=2").length).toBeGreaterThan(0);
});

test("SC28 a public repository is fetched without the password, and how an address was written makes no difference", async () => {
  const made = await place();
  const { run, server, wishes, dials } = made;
  filled(made, "me/open.git");
  for (const address of [
    "https://git.test/me/open",
    "https://me:old-token@git.test/me/open.git",
    "git@git.test:me/open.git",
    "ssh://git@git.test:2222/me/open.git",
    "https://git.test:8443/me/open.git",
  ])
    expect([address, await run(`git ls-remote ${address}`)]).toEqual([
      address,
      expect.stringContaining("refs/heads/main"),
    ]);
  expect(server.asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  expect(wishes.map(({ repository, verb, credentials }) => `${verb} ${repository} ${credentials}`)).toEqual([
    "fetch git.test/me/open false",
    "fetch git.test:8443/me/open false",
  ]);
  expect(new Set(dials)).toEqual(new Set(["93.184.216.34:443", "93.184.216.34:8443"]));
});

test("SC28 what is large is streamed: chunked, in parts, unpacked by nobody on the way", async () => {
  const made = await place();
  const { run, server } = made;
  const bare = filled(made, "private/large.git");
  const commands = [
    "git clone -q https://git.test/private/large.git",
    "cd large",
    "head -c 12000000 /dev/urandom > blob",
    "seq 1 4000 > text",
    "git add . && git commit -qm large && git push -q",
    "cd .. && git clone -q https://git.test/private/large.git again && cmp large/blob again/blob && echo same",
  ];
  expect(await run(commands.join(" && "))).toMatch(/^same$/m);
  expect(execFileSync("git", ["-C", bare, "log", "-1", "--format=%s", "main"], { encoding: "utf8" })).toBe("large\n");
  const posts = server.asked.filter(({ method }) => method === "POST");
  expect(posts.some(({ headers }) => headers["transfer-encoding"] === "chunked")).toBe(true);
  // What only one side has is listed, and a long list is sent compressed.
  const other = "cd large && git commit -q --allow-empty -m other && git push -q";
  const many =
    "cd ../again && for n in $(seq 1 60); do git commit -q --allow-empty -m $n; done && git fetch -q && echo met";
  expect(await run(`${other} && ${many}`)).toMatch(/^met$/m);
  expect(server.asked.some(({ headers }) => headers["content-encoding"] === "gzip")).toBe(true);
});

test("SC28 a push that a person refused says so, and nothing was dialed", async () => {
  const made = await place({
    decide: ({ verb }) => (verb === "push" ? { ok: false, reason: "a person said no" } : { ok: true }),
  });
  filled(made, "me/open.git");
  const { run, attempts, dials } = made;
  await run("git clone -q https://git.test/me/open.git");
  const before = dials.length;
  expect(await run("cd open && git commit -q --allow-empty -m x && git push 2>&1")).toContain(
    "remote: margay: a person said no",
  );
  expect(dials.length).toBe(before);
  expect(attempts.at(-1)).toEqual({
    host: "git.test",
    port: 443,
    allowed: false,
    reason: "a person said no",
    repository: "git.test/me/open",
    verb: "push",
  });
  // A yes to fetch is none to push, whatever is asked first.
  const raw = "curl -sS -X POST --data-binary 0000 http://git.margay/git.test/me/open.git/git-receive-pack";
  expect(await run(raw)).toContain("margay: ask for info/refs first");
});

test("SC28 no password, or a wrong one: what to do is said, and git asks nobody", async () => {
  const wrong = await place({ kept: "changed since" });
  filled(wrong, "private/proj.git");
  expect(await wrong.run("git clone https://git.test/private/proj.git 2>&1")).toContain(
    "remote: margay: git.test refuses the password that git on this machine keeps. Next: the operator renews it outside",
  );
  const none = await place({ kept: "" });
  filled(none, "private/proj.git");
  expect(await none.run("git clone https://git.test/private/proj.git 2>&1")).toContain(
    "remote: margay: git.test/private/proj wants a password, and git on this machine has none for git.test. Next: the operator runs `git ls-remote",
  );
});

test("SC29 a fetch with the password is asked for as such", async () => {
  const made = await place({
    decide: ({ credentials }) => (credentials ? { ok: false, reason: "not mine" } : { ok: true }),
  });
  filled(made, "private/proj.git");
  expect(await made.run("git clone https://git.test/private/proj.git 2>&1")).toContain("remote: margay: not mine");
  expect(made.server.asked.map(({ authorization }) => authorization)).toEqual([undefined]);
});

const RAW = "http://git.margay";
test.each([
  ["a page", `${RAW}/git.test/me/open`],
  ["the dumb protocol", `${RAW}/git.test/me/open.git/info/refs`],
  ["an object", `${RAW}/git.test/me/open.git/objects/info/packs`],
  ["another service", `${RAW}/git.test/me/open.git/info/refs?service=git-upload-archive`],
  ["more of a query", `'${RAW}/git.test/me/open.git/info/refs?service=git-upload-pack&x=1'`],
  ["a path that climbs", `--path-as-is '${RAW}/git.test/me/../you/open.git/info/refs?service=git-upload-pack'`],
  ["a path that is encoded", `'${RAW}/git.test/me/%2e%2e/open.git/info/refs?service=git-upload-pack'`],
  ["an address", `'${RAW}/127.0.0.1/me/open.git/info/refs?service=git-upload-pack'`],
  ["an address as a number", `'${RAW}/2130706433/me/open.git/info/refs?service=git-upload-pack'`],
  ["a name of this machine", `'${RAW}/loop.test/me/open.git/info/refs?service=git-upload-pack'`],
  ["another method", `-X PUT '${RAW}/git.test/me/open.git/info/refs?service=git-upload-pack'`],
  ["an upload by GET", `${RAW}/git.test/me/open.git/git-upload-pack`],
  ["an upload that was not announced", `-d 0000 ${RAW}/git.test/me/open.git/git-upload-pack`],
  ["LFS", `-d '{}' ${RAW}/git.test/me/open.git/info/lfs/objects/batch`],
  ["a name behind a user", `'${RAW}/git.test@loop.test/me/open.git/info/refs?service=git-upload-pack'`],
  ["another port of the door", `'${RAW}:81/git.test/me/open.git/info/refs?service=git-upload-pack'`],
  ["a tunnel", `-p -x http://127.0.0.1:18080 '${RAW}/git.test/me/open.git/info/refs?service=git-upload-pack'`],
])("SC28 %s does not pass the door", async (_, address) => {
  const made = await place();
  made.server.repository("me/open.git");
  expect(await made.run(`curl -sS -m 10 -o /dev/null -w 'status %{http_code} %{http_connect}' ${address}`)).toMatch(
    /status (403 000|000 403)/,
  );
  expect(made.dials).toEqual([]);
});

test("SC28 what a program says of itself stays inside: no Authorization, cookie or Host of its own", async () => {
  const made = await place();
  made.server.repository("me/open.git");
  const own =
    "-H 'Authorization: Basic bWluZQ==' -H 'Cookie: a=b' -H 'Host: other.test' -H 'X-Own: 1' -H 'Proxy-Authorization: x'";
  const said = await made.run(`curl -sSi ${own} '${RAW}/git.test/me/open.git/info/refs?service=git-upload-pack'`);
  expect(said).toContain("200 OK");
  const [asked] = made.server.asked;
  expect(asked?.url).toBe("git.test/me/open.git/info/refs?service=git-upload-pack");
  expect(Object.keys(asked?.headers ?? {}).sort()).toEqual(["accept", "connection", "host", "user-agent"]);
});

test("SC28 a repository that was moved is asked for anew; another host gets no password, and a page is no way", async () => {
  const made = await place();
  const { run, server, wishes } = made;
  filled(made, "private/new.git");
  let to = "https://git.test/private/new.git/info/refs?service=git-upload-pack";
  server.instead = ({ url = "", headers }, response) => {
    const moves = headers.host === "git.test" && url.startsWith("/private/old");
    const wants = moves && headers.authorization !== AUTHORIZATION;
    if (wants) response.writeHead(401).end();
    else if (moves) response.writeHead(301, { location: to }).end();
    return moves;
  };
  expect(await run("git clone -q https://git.test/private/old.git && cat old/README.md")).toContain(
    "hello from outside",
  );
  to = "https://other.test/private/new.git/info/refs?service=git-upload-pack";
  server.asked.length = 0;
  expect(await run("git ls-remote https://git.test/private/old.git 2>&1")).toContain("has none for other.test");
  expect(wishes).toContainEqual(expect.objectContaining({ host: "other.test", verb: "fetch", credentials: false }));
  expect(
    server.asked.filter(({ url }) => url.startsWith("other.test")).map(({ authorization }) => authorization),
  ).toEqual([undefined]);
  for (to of [
    "https://git.test/login",
    "http://git.test/private/new.git/info/refs?service=git-upload-pack",
    "file:///etc",
  ])
    expect(await run("git ls-remote https://git.test/private/old.git 2>&1")).toContain(
      "remote: margay: git.test leads to what is no repository",
    );
});

test("SC30 a repository that only ssh reaches says so in one line", async () => {
  const made = await place();
  expect(await made.run("git clone ssh://someone@git.test/me/x.git 2>&1")).toContain(
    "margay: git over ssh does not leave the sandbox. Next: use the https address of the repository.",
  );
  // Its host has no https.
  made.server.instead = (request) => request.socket.destroy() === request.socket;
  expect(await made.run("git clone git@git.test:me/x.git 2>&1")).toContain(
    "Only git over https leaves the sandbox, not ssh",
  );
});
