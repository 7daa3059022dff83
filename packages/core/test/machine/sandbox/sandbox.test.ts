// What the sandbox does beyond the corpus: other places, the proxy's socket, what it leaves behind, what it costs.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execTool } from "../../../src/builtin/exec/exec.ts";
import { systemClock } from "../../../src/machine/system/clock.ts";
import { createMachine, textOf } from "../../builtin/machine.ts";
import { faultOf } from "../../../src/machine/sandbox/faults.ts";
import { UNTRUSTED_MARK } from "../../../src/tools/untrusted.ts";
import { faultText, type SandboxFault, type SandboxRequest } from "../../../src/machine/sandbox/sandbox.ts";
import { createPlace, runIn, start, SYSTEM_PATH } from "./support.ts";

interface SrtSettings {
  readonly filesystem: Readonly<Record<"denyRead" | "allowWrite" | "denyWrite", readonly string[]>>;
}

test("EX9 srt is told what a command may not write, and hides what the state holds", async () => {
  using place = createPlace();
  const confines = `exec bwrap --dev-bind / / --tmpfs '${place.state}/sandbox' --unshare-net /bin/sh -c "$4"`;
  const searchPath = `${place.program("srt", confines)}:${SYSTEM_PATH}`;
  const sandbox = place.sandbox({ mode: "srt", user: { uid: 1_000, gid: 1_000 }, searchPath });
  expect(await sandbox.status()).toMatchObject({ kind: "srt", ok: true });
  const inbox = join(place.workspace, "inbox");
  const [agents, extra] = [join(place.workspace, "AGENTS.md"), join(place.root, "extra")];
  fs.mkdirSync(inbox);
  fs.writeFileSync(agents, "");
  // More repositories than stay open: srt has no way to open those that a command names.
  const repositories = Array.from({ length: 5 }, (_, n) => join(place.workspace, `r${n}`, ".git"));
  for (const path of repositories) fs.mkdirSync(path, { recursive: true });
  const told = async (change: Partial<SandboxRequest>): Promise<SrtSettings> => {
    const command = await sandbox.wrap(place.request(`echo "it's" $HOME`, change));
    if (typeof command === "string") throw new Error(command);
    expect(await start(command)).toEqual({ output: "it's /tmp\n", code: 0 });
    return JSON.parse(fs.readFileSync(command.argv[2] ?? "", "utf8")) as SrtSettings;
  };
  const plain = await told({});
  expect(plain).toMatchObject({
    network: { allowedDomains: [] },
    filesystem: {
      denyRead: expect.arrayContaining([place.state]) as unknown,
      allowWrite: [place.workspace, "/tmp"],
      denyWrite: expect.arrayContaining([agents, inbox, ...repositories]) as unknown,
    },
  });
  const named = await told({ inbox: true, writable: [extra] });
  expect(named.filesystem.allowWrite).toEqual([place.workspace, "/tmp", extra]);
  expect(named.filesystem.denyWrite).toContain(agents);
  expect(named.filesystem.denyWrite).not.toContain(inbox);
});

test("EX9 a machine that keeps its programs in a store shows it, and counts it among what is shown anyway", () => {
  using place = createPlace();
  const view = new URL("../../../src/machine/sandbox/view.ts", import.meta.url).href;
  // The machine as it is, with a store: a root directory of its own in which the rest is bound.
  const rest = fs
    .readdirSync("/")
    .filter((name) => !["nix", "gnu", "proc", "dev", "tmp"].includes(name))
    .flatMap((name) =>
      fs.lstatSync(`/${name}`).isSymbolicLink()
        ? ["--symlink", fs.readlinkSync(`/${name}`), `/${name}`]
        : ["--ro-bind-try", `/${name}`, `/${name}`],
    );
  const stores = ["/nix/store", "/gnu/store"];
  const program = `const { systemView, programFolders } = await import("${view}");
    const path = "/nix/store/x/bin:/gnu/store/x/bin:/opt-x/bin";
    console.log(JSON.stringify({ shown: systemView(), more: programFolders(path, []) }));`;
  const { stdout, stderr } = spawnSync(
    "bwrap",
    [
      ...[...rest, "--dev", "/dev", "--proc", "/proc", "--bind", "/tmp", "/tmp"],
      ...stores.flatMap((store) => ["--dir", `${store}/x/bin`]),
      ...["--dir", "/opt-x/bin", process.execPath, "--input-type=module", "-e", program],
    ],
    { encoding: "utf8", cwd: place.workspace },
  );
  expect(stderr).toBe("");
  const { shown, more } = JSON.parse(stdout) as { readonly shown: readonly string[]; readonly more: unknown };
  for (const store of stores)
    expect(shown.join(" ")).toContain(`--dir /${store.split("/")[1] ?? ""} --ro-bind ${store} ${store}`);
  expect(more).toEqual(["/opt-x/bin"]);
});

test("what a sandbox is made of is written once, not for each command", async () => {
  using place = createPlace();
  const sandbox = place.sandbox();
  const filesOf = (): readonly string[] =>
    fs
      .readdirSync(join(place.state, "sandbox"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${name} ${fs.statSync(join(parentPath, name)).ino}`)
      .toSorted();
  await runIn(sandbox, place.request("true"));
  const before = filesOf();
  expect(before.map((file) => file.split(" ")[0])).toEqual([
    "filter.bpf",
    "gitconfig",
    "gitconfig-door",
    "group",
    "hosts",
    "passwd",
  ]);
  await runIn(sandbox, place.request("true"));
  expect(filesOf()).toEqual(before);
});

test("EX9 hooks and configuration of repositories deep in the workspace, and of one made in the call before", async () => {
  using place = createPlace();
  const sandbox = place.sandbox();
  const deep = "a/b/c/d/e/project";
  expect((await runIn(sandbox, place.request(`git init -q ${deep} && git init -q --bare bare.git`))).code).toBe(0);
  const attack = `for g in ${deep}/.git bare.git; do echo evil > $g/hooks/pre-commit && echo hook; echo evil >> $g/config && echo config; done 2>/dev/null; mv a z && echo parent`;
  expect((await runIn(sandbox, place.request(attack))).output).toMatch(/^(?!.*(hook|config|parent))/s);
  expect(fs.existsSync(join(place.workspace, deep, ".git/hooks/pre-commit"))).toBe(false);
  const commit = `cd ${deep} && touch x && git add x && git -c user.name=a -c user.email=a@b commit -qm x && git log --oneline | wc -l`;
  expect((await runIn(sandbox, place.request(commit))).output).toBe("1\n");
});

test("EX9 of many repositories those that a command does not name are read-only, and none can be replaced", async () => {
  using place = createPlace();
  const sandbox = place.sandbox();
  const all = Array.from({ length: 9 }, (_, index) => `p${index}`);
  await runIn(sandbox, place.request(`for p in ${all.join(" ")}; do git init -q $p; done`));
  const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && echo done";
  expect((await runIn(sandbox, place.request(`cd p8 && ${commit}`))).output).toBe("done\n");
  expect((await runIn(sandbox, place.request(commit, { directory: join(place.workspace, "p7") }))).output).toBe(
    "done\n",
  );
  const attack =
    "for p in *; do echo evil > $p/.git/hooks/pre-commit; mv $p away-$p && mkdir -p $p/.git/hooks && echo evil > $p/.git/hooks/pre-commit; done";
  await runIn(sandbox, place.request(attack));
  for (const name of all) expect(fs.existsSync(join(place.workspace, name, ".git/hooks/pre-commit"))).toBe(false);
});

test("R280 SE7 the state directory is out of sight although the place around it is shown", async () => {
  using place = createPlace();
  fs.writeFileSync(join(place.state, "config.json"), "secret");
  fs.writeFileSync(join(place.root, "shown"), "shown\n");
  const request = place.request(`cat ../shown; ls -A ../state; cat ../state/config.json; echo x > ../shown`, {
    readable: [place.root],
  });
  const { output } = await runIn(place.sandbox(), request);
  expect(output).toContain("shown\n");
  expect(output).not.toContain("secret");
  expect(output).toContain("Read-only file system");
});

test("EX12 a directory outside what is shown is refused; an extra writable one is writable", async () => {
  using place = createPlace();
  const other = join(place.root, "other");
  fs.mkdirSync(other);
  fs.chmodSync(other, 0o777);
  const sandbox = place.sandbox();
  expect(await sandbox.wrap(place.request("true", { directory: other }))).toMatch(
    /^\S+ is not in the sandbox\. Next: /,
  );
  const request = place.request("pwd; echo x > y", { directory: other, writable: [other] });
  expect(await runIn(sandbox, request)).toMatchObject({ output: `${other}\n`, code: 0 });
  expect(fs.readFileSync(join(other, "y"), "utf8")).toBe("x\n");
});

test("received files are shown to a command that names their folder, and to no other", async () => {
  using machine = createMachine();
  fs.mkdirSync(join(machine.workspace, "inbox"));
  fs.writeFileSync(join(machine.workspace, "inbox/letter"), "dear\n");
  using place = createPlace();
  const sandbox = place.sandbox({ workspace: machine.workspace, state: machine.state });
  const tool = execTool({ directory: join(machine.state, "exec"), environment: { PATH: SYSTEM_PATH }, sandbox });
  const read = async (input: object): Promise<string> => textOf(await machine.run(tool, input));
  expect(await read({ command: "cat in*ox/letter; ls in*ox" })).toMatch(/No such file/);
  expect(await read({ command: "cat inbox/letter" })).toBe(`${UNTRUSTED_MARK}\ndear\nExit code: 0`);
  expect(await read({ command: "cat letter", working_dir: "inbox" })).toBe(`${UNTRUSTED_MARK}\ndear\nExit code: 0`);
});

test("the egress proxy is reached by HTTP_PROXY and nothing else is", async () => {
  using place = createPlace();
  const socket = join(place.state, "egress.sock");
  const proxy = createServer((request, response) => response.end(`proxied ${request.url}\n`)).listen(socket);
  await once(proxy, "listening");
  fs.chmodSync(socket, 0o666);
  try {
    const request = place.request(
      "curl -s http://example.test/x; curl -s -m 2 --noproxy '*' http://127.0.0.1:1 || echo none",
      {
        network: { socket },
      },
    );
    expect((await runIn(place.sandbox(), request)).output).toBe("proxied http://example.test/x\nnone\n");
  } finally {
    proxy.close();
  }
});

/** Only root has rights to give away: for everybody else there is nothing to show. */
if (process.getuid?.() === 0) {
  test("EX11 root's commands run as another user, to whom the workspace is given and nothing else", async () => {
    using place = createPlace();
    const outside = join(place.root, "outside");
    fs.writeFileSync(outside, "");
    fs.mkdirSync(join(place.workspace, "folder"));
    fs.writeFileSync(join(place.workspace, "folder/old"), "old\n", { mode: 0o600 });
    fs.symlinkSync(outside, join(place.workspace, "link"));
    fs.linkSync(outside, join(place.workspace, "hard"));
    const sandbox = place.sandbox();
    const { output, code } = await runIn(
      sandbox,
      place.request("id -u; cat folder/old; echo new >> folder/old; touch folder/new; echo x > hard"),
    );
    expect(output).toMatch(/^60[789]\d\d\nold\n.*hard: Permission denied\n$/s);
    expect(code).toBe(1);
    expect(fs.statSync(outside).uid).toBe(0);
    expect(fs.readFileSync(join(place.workspace, "folder/old"), "utf8")).toBe("old\nnew\n");
    // What the file tools write between two commands, as root, is given too.
    fs.writeFileSync(join(place.workspace, "folder/later"), "later\n", { mode: 0o600 });
    expect((await runIn(sandbox, place.request("cat folder/later"))).output).toBe("later\n");
  });

  test("EX11 a workspace of somebody's keeps its owner, as whom commands run", async () => {
    using place = createPlace();
    fs.chownSync(place.workspace, 60_979, 60_979);
    expect((await runIn(place.sandbox(), place.request("id -u; touch made"))).output).toBe("60979\n");
    expect(fs.statSync(join(place.workspace, "made")).uid).toBe(60_979);
  });
}

for (const [name, make] of [
  ["0700, as margay makes it", (path: string) => fs.mkdirSync(path, { mode: 0o700 })],
  ["0755", (path: string) => fs.mkdirSync(path, { mode: 0o755 })],
  ["missing", () => undefined],
] as const)
  test(`SC39 DF14 commands work in a workspace that is ${name}, below a directory that is closed to others`, async () => {
    using place = createPlace();
    const closed = join(place.root, "closed");
    fs.mkdirSync(closed, { mode: 0o700 });
    const workspace = join(closed, "workspace");
    make(workspace);
    const sandbox = place.sandbox({ workspace });
    expect(await sandbox.status()).toMatchObject({ ok: true });
    const request = place.request("pwd; echo new > made; mkdir deep", { workspace, directory: workspace });
    expect(await runIn(sandbox, request)).toMatchObject({ output: `${workspace}\n`, code: 0 });
    const deep = join(workspace, "deep");
    fs.chmodSync(deep, 0o700);
    expect((await runIn(sandbox, place.request("cat ../made; pwd", { workspace, directory: deep }))).output).toBe(
      `new\n${deep}\n`,
    );
    expect(fs.readdirSync(workspace).toSorted()).toEqual(["deep", "made"]);
  });

test("DF14 the test is made in the workspace itself: one that is closed to commands is found, and its repair opens it", async () => {
  using place = createPlace();
  if (process.getuid?.() === 0) fs.chownSync(place.workspace, 60_979, 60_979); // or root's rights would open it
  fs.chmodSync(place.workspace, 0o500);
  const { ok, fault, command = "" } = await place.sandbox().status();
  expect({ ok, fault, command }).toEqual({
    ok: false,
    fault: "workspace-closed",
    command: `chmod u+rwx '${place.workspace}'`,
  });
  expect(spawnSync("/bin/sh", ["-c", command]).status).toBe(0);
  expect(await place.sandbox().status()).toMatchObject({ ok: true });
});

test("DF7 no reason for a missing sandbox advises to do without one", () => {
  for (const fault of FAULTS.filter((one) => one !== "off"))
    expect(faultText({ kind: "none", ok: false, testedAt: 0, ...faultOf(fault, "x") })).not.toMatch(/\bnone\b/);
});

test("one test for all commands: the second does not wait for it, and nothing of it is left", async () => {
  using place = createPlace();
  const sandbox = place.sandbox();
  expect(await sandbox.status()).toBe(await sandbox.status());
  expect(fs.readdirSync(join(place.state, "sandbox"))).toHaveLength(1);
});

const FAULTS: readonly SandboxFault[] = [
  "off",
  "no-bubblewrap",
  "bubblewrap-in-workspace",
  "bubblewrap-too-old",
  "no-user-namespaces",
  "apparmor",
  "container",
  "no-setpriv",
  "no-sandbox-exec",
  "no-srt",
  "wsl1",
  "platform",
  "architecture",
  "workspace",
  "workspace-closed",
  "shortage",
  "accounts",
  "self-test",
];

/** What a plain command takes on the machine that the limit was set on, with nothing beside it. */
const PLAIN_MS = 4.5;

test("a command costs at most 30 ms more than a plain one", async () => {
  using place = createPlace();
  const sandbox = place.sandbox();
  await sandbox.status();
  const plain: number[] = [];
  const confined: number[] = [];
  const clock = systemClock();
  // The quickest of each: what others do to the machine meanwhile is not ours. bench/sandbox.mjs has the medians.
  const cost = (): number => (Math.min(...confined) - Math.min(...plain)) / Math.max(1, Math.min(...plain) / PLAIN_MS);
  for (let round = 0; round < 15 || (round < 100 && cost() > 30); round += 1) {
    const first = clock.monotonic();
    spawnSync("/bin/bash", ["-c", "true"]);
    const second = clock.monotonic();
    const command = await sandbox.wrap(place.request("true"));
    if (typeof command === "string") throw new Error(command);
    spawnSync(command.argv[0], command.argv.slice(1), { env: { ...command.environment } });
    plain.push(second - first);
    confined.push(clock.monotonic() - second);
    (await sandbox.hold(command.lease, 0))[Symbol.dispose]();
  }
  expect(cost()).toBeLessThanOrEqual(30);
});
