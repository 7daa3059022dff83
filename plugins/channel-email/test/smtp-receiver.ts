/** A strict SMTP server that hands on what it takes, and can be told to misbehave. What a client does against RFC 5321 is noted. */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** When something goes wrong. `dot`: the whole mail is there, the answer is not. */
export type SmtpStage = "connect" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "dot";

/** What goes wrong then, once. */
export interface SmtpFault {
  readonly at: SmtpStage;
  /** Answered instead of what is right: `451 4.3.0 Try later`. */
  readonly reply?: string;
  /** The connection ends without an answer. */
  readonly drop?: true;
  /** No answer ever comes. */
  readonly silent?: true;
  /** The right answer comes so late. */
  readonly delayMs?: number;
  /** At `dot`: the mail arrives although the client hears something else, or nothing. */
  readonly taken?: boolean;
}

/** A mail that was taken. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
  /** Who logged in. */
  readonly user: string;
}

export interface SmtpOptions {
  readonly users: ReadonlyMap<string, string>;
  readonly maxBytes: number;
  /** Whether there is a mailbox of this name. */
  readonly knows: (address: string) => boolean;
  readonly take: (mail: TakenMail) => Promise<void>;
}

export class SmtpReceiver implements AsyncDisposable {
  readonly taken: TakenMail[] = [];
  /** What the client did that the standard forbids. A test ends with none. */
  readonly violations: string[] = [];
  /** What was said, without passwords and mails: `C: …`, `S: …`. */
  readonly transcript: string[] = [];
  maxBytes: number;
  /** Nobody can connect. */
  isDown = false;
  /** There is no mailbox of these names, whatever there was before. */
  readonly gone = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly #faults: SmtpFault[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #options: SmtpOptions;

  /** Resolves when so many mails were taken. */
  received(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.taken.length < count) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  take(mail: TakenMail): void {
    this.taken.push(mail);
    for (const look of [...this.#waiting]) look();
  }

  constructor(options: SmtpOptions) {
    this.#options = options;
    this.maxBytes = options.maxBytes;
    this.#server = createServer((socket) => {
      if (this.isDown) {
        socket.destroy();
        return;
      }
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      socket.on("error", () => undefined); // a client may go away as it likes
      void new Session(socket, this, this.#options).run();
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get listening(): boolean {
    return this.#server.listening;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  /** From now on, in this order; each happens once, `times` times when given. */
  misbehave(fault: SmtpFault, times = 1): void {
    for (let n = 0; n < times; n += 1) this.#faults.push(fault);
  }

  /** The next fault, when it belongs here. */
  faultAt(stage: SmtpStage): SmtpFault | undefined {
    return this.#faults[0]?.at === stage ? this.#faults.shift() : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** Thrown through a session that has nothing more to say. */
class Ended extends Error {}

class Session {
  readonly #socket: Socket;
  readonly #server: SmtpReceiver;
  readonly #options: SmtpOptions;
  readonly #bytes: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  #greeted = false;
  #user: string | undefined;
  #from: string | undefined;
  #to: string[] = [];

  constructor(socket: Socket, server: SmtpReceiver, options: SmtpOptions) {
    this.#socket = socket;
    this.#server = server;
    this.#options = options;
    this.#bytes = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async run(): Promise<void> {
    try {
      await this.#answer("connect", "220 peer.test ESMTP");
      for (;;) await this.#command(await this.#line(512));
    } catch (error) {
      if (!(error instanceof Ended)) this.#server.violations.push(`the connection broke: ${String(error)}`);
    } finally {
      this.#socket.destroy();
    }
  }

  async #command(line: string): Promise<void> {
    const verb = /^[a-z]+/i.exec(line)?.[0].toUpperCase() ?? "";
    this.#note("C", verb === "AUTH" ? line.split(" ").slice(0, 2).join(" ") : line);
    if (/[^\x20-\x7e]/.test(line)) this.#violation(`characters that no command has: ${line}`);
    switch (verb) {
      case "EHLO":
        this.#reset();
        this.#greeted = true;
        await this.#answer(
          "ehlo",
          `250-peer.test\r\n250-8BITMIME\r\n250-ENHANCEDSTATUSCODES\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE ${this.#server.maxBytes}`,
        );
        return;
      case "AUTH":
        return this.#auth(line);
      case "MAIL":
        return this.#mail(line);
      case "RCPT":
        return this.#rcpt(line);
      case "DATA":
        return this.#data();
      case "RSET":
        this.#reset();
        return this.#say("250 2.0.0 Ok");
      case "NOOP":
        return this.#say("250 2.0.0 Ok");
      case "QUIT":
        this.#note("S", "221 2.0.0 Bye");
        this.#socket.end("221 2.0.0 Bye\r\n");
        throw new Ended();
      default:
        this.#violation(`unknown command: ${line}`);
        return this.#say("500 5.5.2 Unknown command");
    }
  }

  async #auth(line: string): Promise<void> {
    if (!this.#greeted) return this.#outOfOrder("AUTH before EHLO");
    const [, mechanism = "", initial] = line.split(" ");
    let user: string;
    let password: string;
    if (mechanism.toUpperCase() === "PLAIN") {
      const given = decoded(initial ?? (await this.#ask("334 ")));
      [user = "", password = ""] = given.split("\0").slice(1);
    } else if (mechanism.toUpperCase() === "LOGIN") {
      user = decoded(initial ?? (await this.#ask("334 VXNlcm5hbWU6")));
      password = decoded(await this.#ask("334 UGFzc3dvcmQ6"));
    } else return this.#say("504 5.5.4 Unknown mechanism");
    if (this.#options.users.get(user) !== password) return this.#say("535 5.7.8 Authentication credentials invalid");
    if (await this.#answer("auth", "235 2.7.0 Authentication successful")) this.#user = user;
  }

  async #ask(question: string): Promise<string> {
    await this.#say(question);
    return this.#line(12_288);
  }

  async #mail(line: string): Promise<void> {
    if (this.#user === undefined) return this.#say("530 5.7.0 Authentication required");
    if (this.#from !== undefined) return this.#outOfOrder("MAIL twice");
    const [, from, parameters = ""] = /^MAIL FROM:<([^<>\s]*)>((?: [A-Z0-9-]+(?:=[^\s=]+)?)*)$/i.exec(line) ?? [];
    if (from === undefined) return this.#syntax(line);
    const size = Number(/ SIZE=(\d+)/i.exec(parameters)?.[1] ?? 0);
    if (size > this.#server.maxBytes) return this.#say("552 5.3.4 Message size exceeds fixed limit");
    if (await this.#answer("mail", "250 2.1.0 Ok")) this.#from = from;
  }

  async #rcpt(line: string): Promise<void> {
    if (this.#from === undefined) return this.#outOfOrder("RCPT before MAIL");
    const [, to] = /^RCPT TO:<([^<>\s]+@[^<>\s]+)>$/i.exec(line) ?? [];
    if (to === undefined) return this.#syntax(line);
    if (!this.#options.knows(to) || this.#server.gone.has(to)) return this.#say("550 5.1.1 No such user here");
    if (await this.#answer("rcpt", "250 2.1.5 Ok")) this.#to.push(to);
  }

  async #data(): Promise<void> {
    if (this.#from === undefined || this.#to.length === 0) return this.#outOfOrder("DATA before RCPT");
    if (!(await this.#answer("data", "354 End data with <CR><LF>.<CR><LF>"))) return this.#reset();
    const lines: Buffer[] = [];
    let size = 0;
    for (;;) {
      const line = await this.#line(1_000, "latin1");
      if (line === ".") break;
      const bytes = Buffer.from(`${line.startsWith(".") ? line.slice(1) : line}\r\n`, "latin1");
      size += bytes.length;
      if (size <= this.#server.maxBytes) lines.push(bytes);
    }
    const mail = { from: this.#from, to: this.#to, raw: Buffer.concat(lines), user: this.#user ?? "" };
    this.#reset();
    if (size > this.#server.maxBytes) return this.#say("552 5.3.4 Message too big");
    const fault = this.#server.faultAt("dot");
    if (fault === undefined || (fault.taken ?? fault.delayMs !== undefined)) {
      await this.#options.take(mail);
      this.#server.take(mail);
    }
    await this.#answerWith(fault, "250 2.0.0 Ok: queued");
  }

  /** The right answer, or what was ordered. @returns whether it was the right one */
  async #answer(stage: SmtpStage, right: string): Promise<boolean> {
    return this.#answerWith(this.#server.faultAt(stage), right);
  }

  async #answerWith(fault: SmtpFault | undefined, right: string): Promise<boolean> {
    if (fault?.drop === true) throw new Ended();
    if (fault?.silent === true) {
      while ((await this.#bytes.next()).done !== true); // until the client gives up
      throw new Ended();
    }
    if (fault?.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    await this.#say(fault?.reply ?? right);
    return fault?.reply === undefined;
  }

  async #say(text: string): Promise<void> {
    this.#note("S", text);
    this.#socket.write(`${text}\r\n`);
    if (text.startsWith("421")) throw new Ended();
  }

  #outOfOrder(what: string): Promise<void> {
    this.#violation(what);
    return this.#say("503 5.5.1 Bad sequence of commands");
  }

  #syntax(line: string): Promise<void> {
    this.#violation(`not understood: ${line}`);
    return this.#say("501 5.5.4 Syntax error");
  }

  #violation(what: string): void {
    this.#server.violations.push(what);
  }

  #note(who: "C" | "S", text: string): void {
    for (const line of text.split("\r\n")) this.#server.transcript.push(`${who}: ${line}`);
  }

  #reset(): void {
    this.#from = undefined;
    this.#to = [];
  }

  /** One line without its end; the end counts for the limit. */
  async #line(most: number, encoding: "utf8" | "latin1" = "utf8"): Promise<string> {
    let end = this.#buffer.indexOf("\n");
    while (end === -1) {
      const more = await this.#bytes.next();
      if (more.done === true) throw new Ended();
      const from = this.#buffer.length;
      this.#buffer = Buffer.concat([this.#buffer, more.value]);
      end = this.#buffer.indexOf("\n", from);
    }
    const line = this.#buffer.subarray(0, end + 1);
    this.#buffer = this.#buffer.subarray(end + 1);
    if (line.length > most) this.#violation(`a line of ${line.length} bytes, ${most} are allowed`);
    if (line.at(-2) !== 13) this.#violation("a line that ends without CR");
    return line.subarray(0, line.at(-2) === 13 ? -2 : -1).toString(encoding);
  }
}

function decoded(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
