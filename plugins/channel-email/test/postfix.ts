/** A real postfix before the dovecot of the test: what people and margay send goes through it, and what it cannot deliver comes back. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { accessSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { userCommand, userNamed } from "../../../packages/app/test/worlds/user.ts";
import type { Certificate } from "../../../packages/core/test/support/certificate.ts";
import { freePorts, greets, isHeld, type MailServer, pause, toGroup } from "./peer.ts";

const MASTER = "/usr/lib/postfix/sbin/master";
/** What it keeps mails and sockets in, each with its mode. */
const QUEUES = ["active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming", "saved", "trace"];

export interface PostfixOptions {
  readonly server: MailServer;
  readonly certificate: Certificate;
}

/** What may be another one after each start. */
export interface PostfixManners {
  /** A copy of what the bot sends is put into its Sent. */
  readonly keepsSent?: boolean;
  /** The largest mail that it takes. */
  readonly maxBytes?: number;
  /** What cannot be delivered is told as delayed at once; without this it is told as lost at once. */
  readonly isPatient?: boolean;
  /** What it takes stays with it until it is released. */
  readonly isHolding?: boolean;
}

export interface Postfix extends AsyncDisposable {
  /** Submission as RFC 6409 has it: STARTTLS, and no login without it. */
  readonly submissionPort: number;
  /** TLS from the first byte. */
  readonly tlsPort: number;
  /** Knows no TLS, and lets people log in all the same. */
  readonly clearPort: number;
  /** Nobody runs. */
  start(manners?: PostfixManners): Promise<void>;
  /** As a loss of power: all of it. */
  kill(): Promise<void>;
  /** Hands on what it holds. */
  release(): Promise<void>;
  /** How many mails it has and could not hand on yet. */
  waiting(): Promise<number>;
  /** What it wrote, for a test that failed. */
  log(): string;
}

/** @throws when postfix is not installed, does not start, or nobody may be root here */
export async function startPostfix(options: PostfixOptions, manners: PostfixManners = {}): Promise<Postfix> {
  try {
    accessSync(MASTER);
  } catch {
    throw new Error("postfix is missing. Run: apt-get install -y --no-install-recommends postfix");
  }
  for (let attempt = 1; ; attempt += 1) {
    const postfix = new RealPostfix(options, await freePorts(4));
    try {
      await postfix.prepare();
      await postfix.start(manners);
      return postfix;
    } catch (error) {
      await postfix[Symbol.asyncDispose]();
      if (attempt === 3) throw error;
    }
  }
}

class RealPostfix implements Postfix {
  readonly submissionPort: number;
  readonly tlsPort: number;
  readonly clearPort: number;
  readonly #farPort: number;
  readonly #options: PostfixOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "postfix-"));
  /** Its programs give mails and sockets to users of their own. */
  readonly #root = userNamed("root");
  #process: ChildProcess | undefined;

  constructor(options: PostfixOptions, ports: readonly number[]) {
    this.#options = options;
    [this.submissionPort = 0, this.tlsPort = 0, this.clearPort = 0, this.#farPort = 0] = ports;
  }

  /** What `postfix check` does, in a fiftieth of its time. */
  async prepare(): Promise<void> {
    const { certificate, key } = this.#options.certificate;
    const folders = ["etc", "data", "queue", ...[...QUEUES, "maildrop", "private", "public", "pid"].map(inQueue)];
    for (const folder of folders) mkdirSync(join(this.#folder, folder));
    writeFileSync(join(this.#folder, "server.pem"), `${key}${certificate}`, { mode: 0o600 });
    writeFileSync(join(this.#folder, "etc", "master.cf"), this.#services());
    const own = ["data", ...[...QUEUES, "private"].map(inQueue)].join(" ");
    const shared = "queue/maildrop queue/public";
    const rights = `chmod 755 . && chown postfix:root ${own} && chmod 700 ${own} && chown postfix:postdrop ${shared} && chmod 730 queue/maildrop && chmod 710 queue/public`;
    await this.#asRoot("sh", "-c", `cd ${this.#folder} && ${rights}`);
  }

  async start(manners: PostfixManners = {}): Promise<void> {
    writeFileSync(join(this.#folder, "etc", "main.cf"), this.#config(manners));
    const [program, ...args] = userCommand(this.#root, [MASTER, "-c", join(this.#folder, "etc"), "-d"]);
    // A group of its own: its children end with it.
    const child = spawn(program, args, { detached: true, stdio: ["ignore", "ignore", "pipe"] });
    this.#process = child;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    while (!(await greets(this.clearPort))) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`postfix ended with code ${child.exitCode}. ${said}${this.log()}`);
      await pause();
    }
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    toGroup(child, "SIGKILL");
    await exited;
    // Its children die a moment after it: until then the next one finds their sockets in use, and does not start.
    for (const port of [this.submissionPort, this.tlsPort, this.clearPort, this.#farPort])
      while (await isHeld(port)) await pause();
  }

  async release(): Promise<void> {
    await this.#asRoot("postsuper", "-c", join(this.#folder, "etc"), "-H", "ALL");
  }

  async waiting(): Promise<number> {
    const { stdout } = await this.#asRoot("postqueue", "-c", join(this.#folder, "etc"), "-j");
    return stdout.split("\n").filter((line) => line !== "").length;
  }

  log(): string {
    try {
      return readFileSync(join(this.#folder, "log"), "utf8");
    } catch {
      return ""; // it wrote none yet
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#asRoot("rm", "-rf", this.#folder);
  }

  #asRoot(...argv: string[]): Promise<{ readonly stdout: string }> {
    const [program, ...args] = userCommand(this.#root, argv);
    const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };
    return promisify(execFile)(program, args, { env });
  }

  #config({ keepsSent = false, maxBytes = 35_000_000, isPatient = false, isHolding = false }: PostfixManners): string {
    const { server } = this.#options;
    const { domain } = server;
    const people = ["bot", "anna", "bert"].map((user) => `{ ${user}@${domain} = ${user} }`);
    return `compatibility_level = 3.6
queue_directory = ${this.#folder}/queue
data_directory = ${this.#folder}/data
maillog_file = ${this.#folder}/log
maillog_file_prefixes = ${this.#folder}
myhostname = mx.${domain}
mydomain = ${domain}
mydestination =
mynetworks =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
# Nobody outside is asked anything.
smtp_dns_support_level = disabled
smtp_host_lookup = native
alias_maps =
alias_database =
local_transport = error:nobody lives here
local_recipient_maps =
recipient_delimiter = +
virtual_mailbox_domains = ${domain}
virtual_mailbox_maps = static:all
virtual_transport = lmtp:inet:127.0.0.1:${server.lmtpPort}
# far.test is behind another server, and nobody listens where late.test is.
default_transport = smtp:[127.0.0.1]:${this.#farPort}
transport_maps = inline:{ { late.test = smtp:[127.0.0.1]:1 } }
message_size_limit = ${maxBytes}
mailbox_size_limit = 0
virtual_mailbox_limit = 0
minimal_backoff_time = 1s
maximal_backoff_time = 1s
queue_run_delay = 1s
delay_warning_time = ${isPatient ? "1s" : "0"}
maximal_queue_lifetime = ${isPatient ? "5d" : "0"}
bounce_queue_lifetime = $maximal_queue_lifetime
smtpd_data_restrictions = ${isHolding ? "check_client_access static:HOLD" : ""}
smtpd_tls_chain_files = ${this.#folder}/server.pem
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${server.authPort}
smtpd_sasl_security_options = noanonymous
smtpd_sender_login_maps = inline:{ ${people.join(", ")} }
smtpd_relay_restrictions =
# Whoever may send in this name is proved, and it says so.
smtpd_recipient_restrictions =
  reject_sender_login_mismatch
  check_sender_access static:{PREPEND Authentication-Results: mx.${domain}; dmarc=pass header.from=${domain}}
  permit_sasl_authenticated
  reject
sender_bcc_maps = ${keepsSent ? `inline:{ { bot@${domain} = bot+Sent@${domain} } }` : ""}
`;
  }

  #services(): string {
    const services = [
      `127.0.0.1:${this.submissionPort} inet n - n - - smtpd ${own("tls_security_level = encrypt", "sasl_auth_enable = yes")}`,
      `127.0.0.1:${this.tlsPort} inet n - n - - smtpd ${own("tls_wrappermode = yes", "sasl_auth_enable = yes")}`,
      `127.0.0.1:${this.clearPort} inet n - n - - smtpd ${own("tls_security_level = none", "sasl_auth_enable = yes")}`,
      // The next hop: it is another server to the one that hands on, and knows nobody.
      `127.0.0.1:${this.#farPort} inet n - n - - smtpd -o myhostname=mx.far.test ${own(
        "tls_security_level = none",
        "recipient_restrictions = check_recipient_access static:{550 5.1.1 No such user here}, reject",
      )}`,
      ...["cleanup", "rewrite", "bounce", "defer", "trace", "verify", "flush", "showq"].map(
        (name) => `${name} unix ${PUBLIC.has(name) ? "n" : "-"} - n - ${name === "verify" ? 1 : 0} ${programOf(name)}`,
      ),
      ...["proxymap", "smtp", "lmtp", "error", "retry"].map((name) => `${name} unix - - n - - ${programOf(name)}`),
      "qmgr unix n - n 300 1 qmgr",
      "tlsmgr unix - - n 1000? 1 tlsmgr",
      "anvil unix - - n - 1 anvil",
      "scache unix - - n - 1 scache",
      "postlog unix-dgram n - n - 1 postlogd",
    ];
    return `${services.join("\n")}\n`;
  }
}

const PUBLIC: ReadonlySet<string> = new Set(["cleanup", "flush", "showq"]);

function programOf(service: string): string {
  return (
    (
      { rewrite: "trivial-rewrite", defer: "bounce", trace: "bounce", retry: "error" } as Readonly<
        Record<string, string>
      >
    )[service] ?? service
  );
}

function inQueue(name: string): string {
  return `queue/${name}`;
}

/** Of one service alone. */
function own(...settings: readonly string[]): string {
  return settings.map((setting) => `-o { smtpd_${setting} }`).join(" ");
}
