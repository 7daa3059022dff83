/** The other side of the e-mail channel: a real dovecot for what arrives, and a strict SMTP server for what leaves. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import {
  accessSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { Certificate } from "../../../packages/core/test/support/certificate.ts";
import { deliverByLmtp } from "./lmtp.ts";
import { SmtpReceiver } from "./smtp-receiver.ts";

const DOVECOT = "/usr/sbin/dovecot";
const DOMAIN = "mail.test";
const USERS = ["bot", "anna", "bert"] as const;
const PASSWORD = "correct-horse";

export type MailUser = (typeof USERS)[number];

export interface MailServerOptions {
  /** `false`: the server does not offer IDLE. */
  readonly idle?: boolean;
  /** A copy of what a user sends is put into the user's Sent, as Gmail does. */
  readonly keepsSent?: boolean;
  /** The largest mail that the SMTP server takes; 35 MB. */
  readonly maxBytes?: number;
  /** It speaks TLS too, and says to a mail server before it who may log in. */
  readonly certificate?: Certificate;
}

export interface MailServer extends AsyncDisposable {
  readonly host: "127.0.0.1";
  /** `mail.test`; addresses are `bot@mail.test`, `anna@mail.test`, `bert@mail.test`. */
  readonly domain: string;
  /** Of all three users, for IMAP and SMTP. */
  readonly password: string;
  /** With STARTTLS where there is a certificate. */
  readonly imapPort: number;
  /** TLS from the first byte, where there is a certificate. */
  readonly imapsPort: number;
  /** Takes mails for all three from a mail server. */
  readonly lmtpPort: number;
  /** Says to a mail server who may log in, where there is a certificate. */
  readonly authPort: number;
  readonly smtpPort: number;
  /** What was sent, what is to go wrong, what was said. */
  readonly smtp: SmtpReceiver;
  /**
   * Puts a mail into an INBOX (bot's), or another folder of it. `from` is the envelope's: empty for a bounce.
   *
   * @throws when the server does not take it
   */
  deliver(
    raw: string | Uint8Array,
    options?: { readonly to?: MailUser; readonly from?: string; readonly folder?: string },
  ): Promise<void>;
  /** The mails of a folder as they are stored, oldest first; of the INBOX when none is named. */
  mailbox(user: MailUser, folder?: string): readonly string[];
  /** Ends IMAP and LMTP in order: clients are told. SMTP stays. */
  stop(): Promise<void>;
  /** On the same ports. */
  start(): Promise<void>;
  /** As a loss of power: nobody is told. */
  kill(): Promise<void>;
  /** Connections stay open and nothing answers, until {@link thaw}. */
  freeze(): void;
  thaw(): void;
  /** Gives a folder a new UIDVALIDITY, as after a restored backup. The server must be stopped. */
  renumber(user: MailUser, folder?: string): void;
  /** What dovecot wrote, for a test that failed. */
  log(): string;
}

/** @throws when dovecot is not installed or does not start */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  try {
    accessSync(DOVECOT);
  } catch {
    throw new Error("dovecot is missing. Run: apt-get install -y --no-install-recommends dovecot-imapd dovecot-lmtpd");
  }
  // Not on two tries of one machine at once: a port that was free may be taken when dovecot asks for it.
  for (let attempt = 1; ; attempt += 1) {
    const server = new Dovecot(options, await freePorts(4));
    try {
      await server.start();
      await server.smtp.listen();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      if (attempt === 3) throw error;
    }
  }
}

class Dovecot implements MailServer {
  readonly host = "127.0.0.1";
  readonly domain = DOMAIN;
  readonly password = PASSWORD;
  readonly smtp: SmtpReceiver;
  readonly imapPort: number;
  readonly lmtpPort: number;
  readonly imapsPort: number;
  readonly authPort: number;
  readonly #folder = mkdtempSync(join(tmpdir(), "mail-"));
  readonly #account = account();
  #process: ChildProcess | undefined;

  constructor(options: MailServerOptions, ports: readonly number[]) {
    [this.imapPort = 0, this.lmtpPort = 0, this.imapsPort = 0, this.authPort = 0] = ports;
    const { certificate } = options;
    const files = {
      "dovecot.conf": this.#config(options),
      ...(certificate !== undefined && { "server.pem": certificate.certificate, "server.key": certificate.key }),
    };
    mkdirSync(join(this.#folder, "mail"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.#folder, name), text, { mode: 0o600 });
    const { uid, gid } = this.#account;
    if (uid !== undefined)
      for (const path of ["", "mail", ...Object.keys(files)]) chownSync(join(this.#folder, path), uid, gid ?? uid);
    this.smtp = new SmtpReceiver({
      users: new Map(
        USERS.flatMap((user) => [
          [user, PASSWORD],
          [`${user}@${DOMAIN}`, PASSWORD],
        ]),
      ),
      maxBytes: options.maxBytes ?? 35_000_000,
      knows: (address) => userOf(address) !== undefined,
      take: async ({ from, to, raw, user }) => {
        for (const address of to) await this.#hand(raw, from, userOf(address) ?? "bot");
        if (options.keepsSent === true) await this.#hand(raw, from, `${userOf(user) ?? "bot"}+Sent`);
      },
    });
  }

  get smtpPort(): number {
    return this.smtp.port;
  }

  deliver: MailServer["deliver"] = async (raw, { to = "bot", from = `anna@${DOMAIN}`, folder } = {}) => {
    await this.#hand(Buffer.from(raw), from, folder === undefined ? to : `${to}+${folder}`);
  };

  #hand(raw: Buffer, from: string, local: string): Promise<void> {
    return deliverByLmtp(raw, { port: this.lmtpPort, from, to: `${local}@${DOMAIN}` });
  }

  mailbox(user: MailUser, folder?: string): readonly string[] {
    const path = this.#maildir(user, folder);
    const files = ["new", "cur"].flatMap((part) => namesIn(join(path, part)).map((name) => join(path, part, name)));
    return files.sort((a, b) => order(a) - order(b)).map((file) => readFileSync(file, "utf8").replaceAll("\r\n", "\n"));
  }

  #maildir(user: MailUser, folder = "INBOX"): string {
    return join(this.#folder, "mail", user, "Maildir", folder === "INBOX" ? "" : `.${folder}`);
  }

  async start(): Promise<void> {
    const { uid, gid } = this.#account;
    const child = spawn(DOVECOT, ["-F", "-c", join(this.#folder, "dovecot.conf")], {
      detached: true, // a group of its own: its children end with it
      stdio: ["ignore", "ignore", "pipe"],
      ...(uid !== undefined && { uid }),
      ...(gid !== undefined && { gid }),
    });
    this.#process = child;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    for (const port of [this.imapPort, this.lmtpPort])
      while (!(await greets(port))) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`dovecot ended with code ${child.exitCode}. ${said}${this.log()}`);
        await pause();
      }
  }

  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    if (signal === "SIGKILL") toGroup(child, signal);
    else child.kill(signal);
    await exited;
    toGroup(child, "SIGKILL"); // whoever did not hear of it
    // Its children die a moment after it: until then the next one finds their sockets in use, and does not start.
    for (const port of [this.imapPort, this.lmtpPort]) while (await isHeld(port)) await pause();
    rmSync(join(this.#folder, "run"), { recursive: true, force: true });
  }

  freeze(): void {
    if (this.#process !== undefined) toGroup(this.#process, "SIGSTOP");
  }

  thaw(): void {
    if (this.#process !== undefined) toGroup(this.#process, "SIGCONT");
  }

  renumber(user: MailUser, folder?: string): void {
    const path = this.#maildir(user, folder);
    for (const name of namesIn(path).filter((one) => one === "dovecot-uidlist" || one.startsWith("dovecot.index")))
      rmSync(join(path, name));
  }

  log(): string {
    try {
      return readFileSync(join(this.#folder, "log"), "utf8");
    } catch {
      return ""; // it wrote none yet
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw();
    if (this.smtp.listening) await this.smtp[Symbol.asyncDispose]();
    await this.kill(); // in order takes a second, and nobody needs what is left
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #config({ idle = true, certificate }: MailServerOptions): string {
    const { user, group } = this.#account;
    const capability = "IMAP4rev1 SASL-IR LITERAL+ ID ENABLE UIDPLUS CONDSTORE QRESYNC MOVE SPECIAL-USE";
    return `base_dir = ${this.#folder}/run
state_dir = ${this.#folder}/lib
log_path = ${this.#folder}/log
protocols = imap lmtp
listen = 127.0.0.1
${certificate === undefined ? "ssl = no" : this.#tls()}
disable_plaintext_auth = no
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:~/Maildir
# Where no watch of the machine is left (128 for all its programs) it looks by itself, by default each half minute.
mailbox_idle_check_interval = 1 secs
mail_home = ${this.#folder}/mail/%n
lmtp_save_to_detail_mailbox = yes
lda_mailbox_autocreate = yes
postmaster_address = postmaster@${DOMAIN}
auth_username_format = %Ln
${idle ? "" : `imap_capability = ${capability}`}
namespace inbox {
  inbox = yes
  mailbox Sent {
    auto = subscribe
    special_use = \\Sent
  }
}
passdb {
  driver = static
  args = password={PLAIN}${PASSWORD}
}
userdb {
  driver = static
  args = uid=${user} gid=${group} allow_all_users=yes
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${this.imapPort}
  }
  inet_listener imaps {
    port = ${certificate === undefined ? 0 : this.imapsPort}
    ssl = yes
  }
}
service lmtp {
  chroot =
  inet_listener lmtp {
    port = ${this.lmtpPort}
  }
}
`;
  }

  #tls(): string {
    return `ssl = yes
ssl_cert = <${this.#folder}/server.pem
ssl_key = <${this.#folder}/server.key
auth_mechanisms = plain login
service auth {
  inet_listener {
    address = 127.0.0.1
    port = ${this.authPort}
  }
}`;
  }
}

interface Account {
  readonly user: string;
  readonly group: string;
  /** Set when root gives the work to somebody else: dovecot refuses to read mail as root. */
  readonly uid?: number;
  readonly gid?: number;
}

function account(): Account {
  const id = (...args: string[]): string => execFileSync("id", args, { encoding: "utf8" }).trim();
  if (process.getuid?.() !== 0) return { user: userInfo().username, group: id("-gn") };
  return { user: "mail", group: id("-gn", "mail"), uid: Number(id("-u", "mail")), gid: Number(id("-g", "mail")) };
}

function userOf(address: string): MailUser | undefined {
  const [local = "", domain = DOMAIN] = address.toLowerCase().split("@");
  return domain === DOMAIN ? USERS.find((user) => user === local.split("+")[0]) : undefined;
}

export function toGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone.
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing was delivered yet
  }
}

/** Maildir names begin with seconds and microseconds of the delivery: `1700000000.M1234P5.host`. */
function order(path: string): number {
  const [, seconds = "0", micros = "0"] = /(\d+)\.M(\d+)P[^/]*$/.exec(path) ?? [];
  return Number(seconds) * 1e6 + Number(micros);
}

/** As many, each another one. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

/**
 * Not one that the system gives to whoever asks for any: while a server is down between two of its lives, a connection of
 * another program would get it.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      continue; // somebody has it
    }
    server.close();
    await once(server, "close");
    return port;
  }
}

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/** Whether somebody takes connections there, or is about to be gone. */
export async function isHeld(port: number): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Whether a server says something there. */
export async function greets(port: number): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "data", { signal: AbortSignal.timeout(3_000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
