/** What lies between the channel and the server: it can break off at any moment, before or after something has passed. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export interface Rule {
  /** What the client says, by which the moment is known. */
  readonly says: string;
  /** Whether it still reaches the server. */
  readonly passes: boolean;
}

export class Proxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #silent = new Set<Socket>();
  #rule: Rule | undefined;
  #cut = Promise.withResolvers<void>();
  /** Packets of one byte to the client. */
  bytewise = false;
  /** Nobody can connect. */
  closed = false;
  /** All that clients have said, as it went over the wire. */
  said = "";

  constructor(target: () => number) {
    this.#server = createServer((client) => {
      if (this.closed) {
        client.destroy();
        return;
      }
      const server = connect({ host: "127.0.0.1", port: target() });
      const pair = [client, server] as const;
      this.#pairs.add(pair);
      const end = (): void => {
        this.#pairs.delete(pair);
        this.#silent.delete(client);
        client.destroy();
        server.destroy();
      };
      for (const socket of pair) socket.setNoDelay(true).on("error", end).on("close", end);
      const isSilent = (): boolean => this.#silent.has(client);
      client.on("data", (data) => void (isSilent() || this.#forward(data, client, server, end)));
      server.on("data", (data) => void (isSilent() || this.#back(data, client)));
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get isListening(): boolean {
    return this.#server.listening;
  }

  /** So many clients are connected. */
  get open(): number {
    return this.#pairs.size;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The next time that the client says this, the connection breaks. Resolves when it did. */
  breakAt(rule: Rule): Promise<void> {
    this.#rule = rule;
    this.#cut = Promise.withResolvers();
    return this.#cut.promise;
  }

  /** Those who are connected stay so, and nothing passes. */
  halfOpen(): void {
    for (const [client] of this.#pairs) this.#silent.add(client);
  }

  /** As when a cable is pulled. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** As a server that ends in order. */
  sayGoodbye(): void {
    for (const [client, server] of this.#pairs) {
      server.removeAllListeners("data").destroy();
      client.end("</stream:stream>");
    }
  }

  async #forward(data: Buffer, client: Socket, server: Socket, end: () => void): Promise<void> {
    this.said += data.toString("latin1");
    if (this.#rule === undefined || !data.includes(this.#rule.says)) {
      server.write(data);
      return;
    }
    const { passes } = this.#rule;
    this.#rule = undefined;
    client.destroy(); // no answer comes back
    if (passes) {
      server.removeAllListeners("data").resume();
      server.end(data);
      await once(server, "close"); // it has read everything
    } else end();
    this.#cut.resolve();
  }

  #back(data: Buffer, client: Socket): void {
    if (!this.bytewise) client.write(data);
    else for (const byte of data) client.write(Buffer.of(byte));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}
