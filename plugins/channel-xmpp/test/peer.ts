/** The other side of the XMPP channel: a real prosody with an archive, rooms and session resumption, and a break in the line before it. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DOMAIN, PASSWORD, Person, USERS } from "./person.ts";
import { Proxy } from "./proxy.ts";

const PROSODY = "/usr/bin/prosody";
export const ROOMS = `rooms.${DOMAIN}`;

export interface XmppServerOptions {
  /** `false`: nothing is kept, but for whoever is away. */
  readonly archive?: boolean;
  /** `false`: sessions end with their connection, and nothing is acknowledged. */
  readonly resume?: boolean;
  /** Accounts beside those that there always are. */
  readonly accounts?: readonly string[];
  /** What it shows behind STARTTLS and on a port of its own, as PEM; without: no TLS. */
  readonly tls?: { readonly key: string; readonly certificate: string };
}

/** @throws when prosody is not installed or does not start */
export async function startXmppServer(options: XmppServerOptions = {}): Promise<XmppServer> {
  try {
    accessSync(PROSODY);
  } catch {
    throw new Error("prosody is missing. Run: apt-get install -y --no-install-recommends prosody");
  }
  // A port that was free may be taken when prosody asks for it.
  for (let attempt = 1; ; attempt += 1) {
    const server = new XmppServer(options, await freePort(), await freePort());
    try {
      await server.start();
      await server.proxy.listen();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      if (attempt === 3) throw error;
    }
  }
}

/** One prosody of its own. */
export class XmppServer implements AsyncDisposable {
  readonly port: number;
  /** TLS from the first byte. */
  readonly tlsPort: number;
  /** The channel connects there. */
  readonly proxy: Proxy;
  readonly #folder = mkdtempSync(join(tmpdir(), "xmpp-"));
  readonly #account = account();
  readonly #people: Person[] = [];
  readonly #accounts: string;
  #process: ChildProcess | undefined;

  constructor(options: XmppServerOptions, port: number, tlsPort: number) {
    this.port = port;
    this.tlsPort = tlsPort;
    this.proxy = new Proxy(() => port);
    chmodSync(this.#folder, 0o755);
    const accounts = join(this.#folder, "data", DOMAIN.replace(".", "%2e"), "accounts");
    mkdirSync(accounts, { recursive: true });
    this.#accounts = accounts;
    const users = [...USERS, ...(options.accounts ?? [])];
    for (const user of users) this.setPassword(user, PASSWORD);
    writeFileSync(join(this.#folder, "prosody.cfg.lua"), this.#config(options));
    const { uid, gid } = this.#account;
    if (uid !== undefined && gid !== undefined)
      for (const path of [
        "",
        "data",
        join("data", DOMAIN.replace(".", "%2e")),
        accounts.slice(this.#folder.length + 1),
      ])
        chownSync(join(this.#folder, path), uid, gid);
    for (const [name, text] of Object.entries({ key: options.tls?.key, certificate: options.tls?.certificate })) {
      if (text === undefined) continue;
      writeFileSync(join(this.#folder, name), text, { mode: 0o600 });
      if (uid !== undefined && gid !== undefined) chownSync(join(this.#folder, name), uid, gid);
    }
    if (uid !== undefined && gid !== undefined)
      for (const user of users) chownSync(join(accounts, `${user}.dat`), uid, gid);
  }

  setPassword(user: string, password: string): void {
    writeFileSync(join(this.#accounts, `${user}.dat`), `return { ["password"] = "${password}"; };\n`);
  }

  /** A person with a client of their own, online. */
  async person(user: string, resource = "phone"): Promise<Person> {
    const person = new Person({ user, resource, port: this.port });
    this.#people.push(person);
    await person.connect();
    return person;
  }

  async start(): Promise<void> {
    const child = spawn(PROSODY, ["-F", "--config", join(this.#folder, "prosody.cfg.lua")], {
      detached: true,
      stdio: ["ignore", "ignore", "pipe"],
      cwd: this.#folder,
      ...this.#account,
    });
    this.#process = child;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    while (!(await answers(this.port))) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`prosody ended with code ${child.exitCode}. ${said}${this.log()}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** In order: clients are told. */
  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  /** As a loss of power: nobody is told. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  /** Connections stay open and nothing answers, until {@link thaw}. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  /** What prosody wrote, for a test that failed. */
  log(): string {
    try {
      return readFileSync(join(this.#folder, "log"), "utf8");
    } catch {
      return ""; // it wrote none yet
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw();
    for (const person of this.#people) person.leave();
    if (this.proxy.isListening) await this.proxy[Symbol.asyncDispose]();
    await this.kill(); // in order takes a second, and nobody needs what is left
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #config({ archive = true, resume = true, tls }: XmppServerOptions): string {
    const modules = [
      "roster",
      "saslauth",
      "disco",
      "ping",
      "carbons",
      "blocklist",
      ...(archive ? ["mam"] : []),
      ...(resume ? ["smacks"] : []),
      ...(tls ? ["tls"] : []),
    ];
    return `pidfile = "${this.#folder}/prosody.pid"
data_path = "${this.#folder}/data"
log = { info = "${this.#folder}/log" }
modules_enabled = { ${modules.map((name) => `"${name}"`).join(", ")} }
modules_disabled = { "s2s" }
c2s_ports = { ${this.port} }
c2s_direct_tls_ports = { ${tls ? this.tlsPort : ""} }
${tls ? `ssl = { key = "${this.#folder}/key"; certificate = "${this.#folder}/certificate"; }` : ""}
s2s_ports = {}
http_ports = {}
https_ports = {}
interfaces = { "127.0.0.1" }
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
authentication = "internal_plain"
storage = "internal"
smacks_hibernation_time = 60
VirtualHost "${DOMAIN}"
Component "${ROOMS}" "muc"
  ${archive ? 'modules_enabled = { "muc_mam" }' : ""}
  muc_log_by_default = true
  restrict_room_creation = false
  muc_room_locking = false
  muc_room_default_persistent = true
`;
  }
}

/** Root gives the work to somebody else: prosody refuses to run as root. */
function account(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (...args: string[]): number => Number(execFileSync("id", args, { encoding: "utf8" }).trim());
  return { uid: id("-u", "prosody"), gid: id("-g", "prosody") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Whether somebody listens there. */
async function answers(port: number): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(3_000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
