// The commands of the gateway as people run them.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay, type Ran } from "../cli/harness.ts";
import { start as startProgram } from "../durability/running.ts";

const TOKEN = "b3f1c0d29a8e7456b3f1c0d29a8e7456b3f1c0d29a8e7456b3f1c0d29a8e7456";
const PASSWORD = "four unrelated words here";

async function place(gateway: object = {}): Promise<Margay> {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const made = margay();
  made.configure({ ...modelConfig(model.url), heartbeat: { enabled: false }, gateway: { port: 0, ...gateway } });
  return made;
}

interface Started {
  readonly url: string;
  readonly link: string;
  readonly out: string;
  stop(): Promise<Ran>;
}

async function start(made: Margay, argv: readonly string[] = []): Promise<Started> {
  const stop = new AbortController();
  const said = Promise.withResolvers<string>();
  const ended = made.run(["gateway", ...argv], {
    signal: stop.signal,
    onOut: (out) => out.includes("margay open") && said.resolve(out),
  });
  const early = ended.then((ran) => Promise.reject(new Error(`it ended: ${ran.out}${ran.err}`)));
  const out = await Promise.race([said.promise, early]);
  early.catch(() => {}); // it ends when it is told to
  const finish = (): Promise<Ran> => {
    stop.abort(new Error("stopped by SIGTERM"));
    return ended;
  };
  onTestFinished(async () => {
    await finish();
  });
  return { url: /http:\S+(?=\n)/.exec(out)?.[0] ?? "", link: /http\S+#\S+/.exec(out)?.[0] ?? "", out, stop: finish };
}

async function exchange(url: string, link: string): Promise<number> {
  const code = link.split("=")[1];
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ code }) };
  return (await fetch(`${url}/api/v1/auth/exchange`, init)).status;
}

test("R20 `margay gateway` prints where it runs and a link that works once, and ends with 0", async () => {
  const made = await place();
  const { url, link, out, stop } = await start(made);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(link.startsWith(`${url}/#login=`)).toBe(true);
  expect(out).toContain("margay open");
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" });
  expect([await exchange(url, link), await exchange(url, link)]).toEqual([200, 410]);

  const second = await made.run(["gateway"]);
  expect(second.code).toBe(75);
  expect(second.err).toContain(String(process.pid));
  expect(second.err).toContain("margay open");
  expect(second.err).toContain(url);

  const opened = await made.run(["open"]);
  expect(opened.code).toBe(0);
  expect(await exchange(url, /http\S+#\S+/.exec(opened.out)?.[0] ?? "")).toBe(200);
  const nobody = await made.run(["open", "--for", "eva"]);
  expect(nobody.code).not.toBe(0);
  expect(nobody.err).toContain('There is no person "eva"');
  expect((await made.run(["open", "--code"])).out).toMatch(/\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/);

  const ended = await stop();
  expect(ended.code).toBe(0);
  expect(ended.err).toContain("already used");
  await expect(fetch(`${url}/health`)).rejects.toThrow("fetch failed");
  const none = await made.run(["open"]);
  expect(none.code).toBe(2);
  expect(none.err).toContain("margay gateway");
});

/** `margay open` in a terminal of a desktop, with programs of the machine that are shell scripts here. */
async function openOnDesktop(made: Margay, programs: Readonly<Record<string, string>>): Promise<string> {
  const bin = join(made.directory, "bin");
  mkdirSync(bin, { recursive: true });
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\ncd "${made.directory}" && ${text}\n`, { mode: 0o755 });
  const inTerminal = `DISPLAY=:0 PATH="$0:$PATH" exec script -qec "$(printf "'%s' " "$@")" /dev/null`;
  const running = startProgram(made, { by: ["sh", "-c", inTerminal, bin] }, "open");
  expect(await running.ended).toBe(0);
  return running.out();
}

test("`margay open` leaves the browser a minute to read the link, which no other user can", async () => {
  const made = await place();
  const { url } = await start(made);
  const at = (name: string): string => join(made.directory, name);
  execFileSync("mkfifo", [at("begin"), at("minute")]);
  const out = await openOnDesktop(made, {
    // Slower than the command, as a browser is.
    "xdg-open": `read -r _ < begin; echo "$#" "$1" > opened; cp -p "$1" page; mv opened open`,
    sleep: `echo "$@" > asked; read -r _ < minute`,
  });
  await writeFile(at("begin"), "\n");
  await expect.poll(() => existsSync(at("open"))).toBe(true);
  const [count, file = ""] = readFileSync(at("open"), "utf8").trim().split(" ");
  expect({ count, mode: statSync(at("page")).mode & 0o777 }).toEqual({ count: "1", mode: 0o600 });
  const link = /url=([^"]+)/.exec(readFileSync(at("page"), "utf8"))?.[1] ?? "";
  expect(out).toContain(link);
  expect(await exchange(url, link)).toBe(200);
  await expect.poll(() => existsSync(at("asked")) && readFileSync(at("asked"), "utf8")).toBe("60\n");
  expect(existsSync(file)).toBe(true);
  await writeFile(at("minute"), "\n");
  await expect.poll(() => existsSync(file)).toBe(false);
});

test("the link of `margay open` stays on no disk when there is no browser", async () => {
  const made = await place();
  await start(made);
  execFileSync("mkfifo", [join(made.directory, "minute")]);
  await openOnDesktop(made, { "xdg-open": `echo "$1" > opened; mv opened open; exit 3`, sleep: "read -r _ < minute" });
  const note = join(made.directory, "open");
  await expect.poll(() => existsSync(note)).toBe(true);
  const file = readFileSync(note, "utf8").trim();
  expect(file).toMatch(/\.html$/);
  await expect.poll(() => existsSync(file)).toBe(false);
  await writeFile(join(made.directory, "minute"), "\n");
});

test("tokens and the password are managed with a running gateway and without one", async () => {
  const made = await place();
  const works = async (url: string, token: string): Promise<number> =>
    (await fetch(`${url}/api/v1/auth/tokens`, { headers: { authorization: `Bearer ${token}` } })).status;
  const created = await made.run(["token", "create", "--name", "ci", "--scope", "admin", "--days", "3"]);
  expect(created.code).toBe(0);
  const before = created.out.trim();
  const { url } = await start(made);
  expect(await works(url, before)).toBe(200);
  const listed = await made.run(["token", "list"]);
  expect(listed.out).toMatch(/token-\S+\s+ci\s+admin\s+\d{4}-\d\d-\d\d/);
  expect(listed.out).not.toContain(before);
  const id = /token-\S+/.exec(listed.out)?.[0] ?? "";
  const after = (await made.run(["token", "rotate", id])).out.trim();
  expect([await works(url, before), await works(url, after)]).toEqual([401, 200]);
  expect((await made.run(["token", "revoke", id])).code).toBe(0);
  expect(await works(url, after)).toBe(401);
  expect((await made.run(["token", "revoke", id])).code).toBe(2);
  expect((await made.run(["token", "create", "--scope", "everything"])).code).toBe(2);

  const weak = await made.run(["gateway", "password"], { stdin: "password1234\n" });
  expect(weak).toMatchObject({ code: 2 });
  expect((await made.run(["gateway", "password"], { stdin: `${PASSWORD}\n` })).code).toBe(0);
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ password: PASSWORD }),
  };
  expect((await fetch(`${url}/api/v1/auth/login`, init)).status).toBe(200);
});

const REFUSED: readonly (readonly [string, object, string])[] = [
  ["an open door", { host: "0.0.0.0", allowPlainHttp: true }, "margay gateway password"],
  ["plain HTTP", { host: "0.0.0.0", token: TOKEN }, "gateway.tls"],
  ["a placeholder as token", { token: "changeme" }, "openssl rand"],
  ["one character as token", { token: "a".repeat(64) }, "openssl rand"],
  ["a hook with the token's secret", { token: TOKEN, hooks: { ci: { secret: TOKEN } } }, "gateway.hooks.ci.secret"],
  ["two hooks with one secret", { hooks: { a: { secret: TOKEN }, b: { secret: TOKEN } } }, "gateway.hooks.b.secret"],
  [
    "a proxy header that anybody sets",
    { proxyAuth: { peers: ["10.0.0.1/32"], header: "X-Forwarded-User", users: ["ada"] } },
    "x-forwarded-user",
  ],
  ["everybody as proxy", { proxyAuth: { peers: ["0.0.0.0/0"], header: "Remote-User", users: ["ada"] } }, "0.0.0.0/0"],
  ["a certificate that is not there", { tls: { cert: "none.pem", key: "none.pem" } }, "gateway.tls"],
  ["an unknown key", { hots: "127.0.0.1" }, "gateway.hots"],
];

for (const [name, gateway, hint] of REFUSED)
  test(`R285 the gateway does not start with ${name}`, async () => {
    const made = await place(gateway);
    const { code, err } = await made.run(["gateway", "--no-open"]);
    expect({ code, err }).toMatchObject({ code: 78 });
    expect(err).toContain(hint);
  });

const LANGUAGES = ["en", "zh-CN"] as const;

test("R285 a port that is taken and an address that is not ours are named, with what to do, in both languages", async () => {
  const port = await takenPort();
  const refusal = async (made: Margay, wanted: number): Promise<readonly string[]> => {
    const said: string[] = [];
    for (const lang of LANGUAGES) {
      const { code, err } = await made.run(["gateway", "--no-open", "--lang", lang, "--port", String(wanted)]);
      expect({ code, err }).toMatchObject({ code: 78 });
      said.push(err);
    }
    return said;
  };
  expect(await refusal(await place(), port)).toEqual([
    expect.stringContaining(`127.0.0.1:${port} is used by another program. Choose another with --port`),
    expect.stringContaining(`127.0.0.1:${port} 已被其他程序占用。请用 --port`),
  ]);
  for (const host of ["192.0.2.7", "nowhere.invalid"]) {
    const made = await place({ host, allowPlainHttp: true, token: TOKEN });
    expect(await refusal(made, 0)).toEqual([
      expect.stringContaining(`${host} is no address of this machine. Set gateway.host`),
      expect.stringContaining(`${host} 不是本机的地址。请将 gateway.host`),
    ]);
    // The home is free again.
    expect((await made.run(["gateway", "--no-open", "--port", "0"])).err).not.toContain("used by process");
  }
});

test("R285 a gateway that cannot start ends as a process too, with what to do: a port that is taken, no certificate, a port that is not its user's", async () => {
  const made = await place();
  const refusal = async (port: number, lang: string, by: readonly string[] = [], from = made): Promise<string> => {
    const running = startProgram(from, { by }, "gateway", "--no-open", "--lang", lang, "--port", String(port));
    expect(await running.ended).toBe(78);
    return running.err();
  };
  const port = await takenPort();
  expect(await refusal(port, "en")).toContain(`127.0.0.1:${port} is used by another program.`);
  const badTls = await place({ tls: { cert: "config.json", key: "config.json" } });
  expect(await refusal(0, "en", [], badTls)).toMatch(
    /The certificate \S+config\.json .* cannot be used .* Set gateway\.tls/,
  );
  const first = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
  if (existsSync(first) && Number(readFileSync(first, "utf8")) <= 1) return; // every port is everybody's here
  // Root without the right to low ports; nobody else has it.
  const by = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-net_bind_service"] : [];
  const said = [await refusal(1, "en", by), await refusal(1, "zh-CN", by)]; // one home, one after the other
  expect(said).toEqual([
    expect.stringContaining("127.0.0.1:1 may not be opened by this user: low ports are the system's. Choose another"),
    expect.stringContaining("当前用户无权打开 127.0.0.1:1：低位端口由系统保留。请用 --port"),
  ]);
});

async function takenPort(): Promise<number> {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  return (other.address() as AddressInfo).port; // TCP
}

test("R287 the gateway does not start with state that others can read", async () => {
  const made = await place();
  await made.run(["token", "create"]);
  chmodSync(join(made.home, "auth.json"), 0o644);
  const { code, err } = await made.run(["gateway"]);
  expect({ code, err }).toMatchObject({ code: 78 });
  expect(err).toContain(`chmod 600 ${join(made.home, "auth.json")}`);
  expect((await made.run(["gateway"], { env: { LANG: "zh_CN.UTF-8" } })).code).toBe(78);
});

test("a configuration that cannot be read stops the start, never becomes the defaults", async () => {
  const made = await place();
  writeFileSync(join(made.home, "config.json"), "{ not json");
  expect((await made.run(["gateway"])).code).toBe(78);
});

test("the password of a file is the password; the set-up waits for one in the browser", async () => {
  const made = await place({ auth: { passwordFile: "password.txt" } });
  mkdirSync(made.home, { recursive: true });
  const missing = await made.run(["gateway"]);
  expect([missing.code, missing.err]).toEqual([
    78,
    expect.stringMatching(/gateway\.auth\.passwordFile names \S+password\.txt, which cannot be read: ENOENT/),
  ]);
  writeFileSync(join(made.home, "password.txt"), `${PASSWORD}\n`, { mode: 0o600 });
  chmodSync(join(made.home, "password.txt"), 0o640);
  const shared = await made.run(["gateway"]);
  expect([shared.code, shared.err]).toEqual([
    78,
    expect.stringContaining("password.txt can be read by other users (mode 640)"),
  ]);
  chmodSync(join(made.home, "password.txt"), 0o600);
  writeFileSync(join(made.home, "password.txt"), "short\n");
  const weak = await made.run(["gateway"]);
  expect([weak.code, weak.err]).toEqual([78, expect.stringMatching(/gateway\.auth\.passwordFile: \S/)]);
  writeFileSync(join(made.home, "password.txt"), `${PASSWORD}\n`);
  const first = await start(made);
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ password: PASSWORD }),
  };
  expect((await fetch(`${first.url}/api/v1/auth/login`, init)).status).toBe(200);
  const fresh = await place();
  const { url, link } = await start(fresh, ["--setup"]);
  expect(link).toContain("#setup=");
  const body = JSON.stringify({ code: link.split("=")[1], password: PASSWORD });
  expect((await fetch(`${url}/api/v1/auth/setup`, { ...init, body })).status).toBe(200);
});

test("the gateway is installed as a service of the user and removed again", async () => {
  const made = await place();
  const bin = join(made.directory, "bin");
  const called = join(made.directory, "called");
  mkdirSync(bin);
  writeFileSync(join(bin, "systemctl"), `#!/bin/sh\necho "$@" >> ${called}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:/bin:/usr/bin` };
  const unit = join(made.directory, ".config/systemd/user/margay.service");
  const installed = await made.run(["gateway", "install"], { env });
  expect(installed).toMatchObject({ code: 0 });
  const text = readFileSync(unit, "utf8");
  expect(text).toContain(`"gateway" "--no-open" "--home" "${made.home}"\n`);
  expect(text).toContain("RestartPreventExitStatus=75 78\nSuccessExitStatus=85\nRestartForceExitStatus=85\n");
  expect(text).toContain("\nEnvironment=MARGAY_SUPERVISED=1\n");
  expect(readFileSync(called, "utf8").split("\n")).toEqual([
    "--user daemon-reload",
    "--user enable margay.service",
    "--user restart margay.service",
    "",
  ]);
  expect((await made.run(["gateway", "uninstall"], { env })).code).toBe(0);
  expect(existsSync(unit)).toBe(false);
  expect((await made.run(["gateway", "uninstall"], { env })).code).toBe(2);
  for (const [script, said] of [
    [
      "echo Failed to connect to bus >&2; exit 3",
      "`systemctl --user daemon-reload` failed: Failed to connect to bus. ",
    ],
    ["exit 3", "`systemctl --user daemon-reload` failed: exit 3. "],
    ["kill -9 $$", "`systemctl --user daemon-reload` failed: exit ?. "],
  ] as const) {
    writeFileSync(join(bin, "systemctl"), `#!/bin/sh\n${script}\n`);
    const failed = await made.run(["gateway", "install"], { env });
    expect([failed.code, failed.err]).toEqual([2, expect.stringContaining(said)]);
  }
  const none = await made.run(["gateway", "install"], { env: { PATH: made.directory } });
  expect(none.code).toBe(2);
  expect(none.err).toContain("systemctl --user daemon-reload");
});
