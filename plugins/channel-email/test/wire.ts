/** What is between margay and a mail server: it hears what is said, and can end at a chosen word. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export interface Cut {
  /** Who says it. */
  readonly by: "client" | "server";
  readonly word: RegExp;
  /** How much of that chunk still passes. */
  readonly passes: "nothing" | "half" | "all";
  /** Before the ends of the connection are told. From then on nobody can connect, until {@link Wire.open}. */
  readonly act: () => Promise<void>;
}

export class Wire implements AsyncDisposable {
  /** What clients have said, of all connections. */
  said = "";
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  #cut: Cut | undefined;

  constructor(target: number) {
    this.#target = target;
  }

  get port(): number {
    return this.#port;
  }

  /** Until the cut has happened. */
  get isOpen(): boolean {
    return this.#server !== undefined;
  }

  /** The same port each time. */
  async open(): Promise<this> {
    const server = createServer((client) => this.#join(client)).listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server === undefined) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
    this.#server = undefined;
  }

  /** Once. */
  cutAt(cut: Cut): void {
    this.#cut = cut;
  }

  #join(client: Socket): void {
    const server = connect({ host: "127.0.0.1", port: this.#target });
    for (const [from, to, by] of [
      [client, server, "client"],
      [server, client, "server"],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.end();
      });
      from.on("data", (chunk: Buffer) => this.#pass(chunk, by, to));
    }
  }

  #pass(chunk: Buffer, by: Cut["by"], to: Socket): void {
    const text = chunk.toString("latin1");
    if (by === "client") this.said += text;
    const cut = this.#cut;
    if (cut?.by !== by || !cut.word.test(text)) return void to.write(chunk);
    this.#cut = undefined;
    const bytes = { nothing: 0, half: chunk.length >> 1, all: chunk.length }[cut.passes];
    if (bytes > 0) to.write(chunk.subarray(0, bytes));
    void cut.act().then(() => this.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
