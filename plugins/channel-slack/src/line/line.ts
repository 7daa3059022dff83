/**
 * Socket Mode without a gap: when Slack wants another socket, the next one is open before the last one is closed. Slack tells
 * each thing on one of them.
 */
import { needed } from "../json.ts";
import { isSlacks } from "../settings.ts";
import { type Envelope, openSocket, type Socket } from "./socket.ts";
import type { Account } from "../account.ts";

/** Something that was told, and how Slack learns that it was taken. */
export interface Told {
  readonly envelope: Envelope;
  acknowledge(): void;
}

export interface Line extends Disposable {
  /** @throws a fault: there is no socket any more, and what it told was handed out; the reason of the signal. */
  next(): Promise<Told>;
}

/** @param up Slack is there. `isWhole`: no moment was without a socket since the last time. */
type Up = (isWhole: boolean) => void;

interface Connection {
  socket?: Socket;
  isOpen: boolean;
  /** Told, and not taken yet. */
  pending: number;
  /** Another one is there. */
  isOld: boolean;
}

type LineAccount = Pick<Account, "api" | "host" | "settings">;

export function openLine(account: LineAccount, up: Up, signal: AbortSignal): Line {
  return new Sockets(account, up, signal);
}

class Sockets implements Line {
  readonly #account: LineAccount;
  readonly #up: Up;
  readonly #signal: AbortSignal;
  readonly #queue: Told[] = [];
  readonly #all = new Set<Connection>();
  #current: Connection | undefined;
  #next: Connection | undefined;
  #ended: Error | undefined;
  #isOver = false;
  #wake = (): void => {};
  readonly #stop = (): void => this.#end(this.#signal.reason);

  constructor(account: LineAccount, up: Up, signal: AbortSignal) {
    this.#account = account;
    this.#up = up;
    this.#signal = signal;
    signal.addEventListener("abort", this.#stop, { once: true });
    this.#open();
  }

  async next(): Promise<Told> {
    for (;;) {
      this.#signal.throwIfAborted();
      const found = this.#queue.shift();
      if (found !== undefined) return found;
      if (this.#ended !== undefined) throw this.#ended;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#signal.removeEventListener("abort", this.#stop);
    for (const { socket } of [...this.#all]) socket?.[Symbol.dispose]();
  }

  #open(): void {
    const connection: Connection = { isOpen: true, pending: 0, isOld: false };
    this.#next = connection;
    socketUrl(this.#account, this.#signal).then(
      (url) => {
        if (this.#isOver) return;
        this.#all.add(connection);
        connection.socket = openSocket(url, this.#account.host, {
          hello: () => this.#isUp(connection),
          envelope: (envelope) => this.#told(connection, envelope),
          disconnect: (reason) => this.#replace(connection, reason),
          closed: (error) => this.#closed(connection, error),
        });
      },
      (error: unknown) => this.#end(error),
    );
  }

  #isUp(connection: Connection): void {
    const last = this.#current;
    this.#current = connection;
    this.#next = undefined;
    const isWhole = last?.isOpen === true;
    if (last !== undefined) {
      last.isOld = true;
      closeIfIdle(last);
    }
    this.#up(isWhole);
  }

  #told(connection: Connection, envelope: Envelope): void {
    connection.pending += 1;
    const acknowledge = (): void => {
      connection.socket?.acknowledge(envelope.id);
      connection.pending -= 1;
      closeIfIdle(connection);
    };
    this.#queue.push({ envelope, acknowledge });
    this.#wake();
  }

  #replace(connection: Connection, reason: string): void {
    if (reason === "link_disabled" || reason === "too_many_websockets") this.#end(unwanted(reason, this.#account));
    else if (connection === this.#current && this.#next === undefined) this.#open();
  }

  #closed(connection: Connection, { message }: Error): void {
    connection.isOpen = false;
    this.#all.delete(connection);
    // One that is being made takes its place; what comes meanwhile is asked for.
    const isNeeded = connection === this.#next || (connection === this.#current && this.#next === undefined);
    if (!isNeeded || this.#isOver) return;
    const { host } = this.#account;
    this.#end(host.fault("again", `The connection to Slack ended: ${message}. It is made anew.`, { sent: "no" }));
  }

  #end(error: unknown): void {
    this.#ended ??= error instanceof Error ? error : new Error(String(error));
    this.#wake();
  }
}

/** What it told is taken, and another one is there. */
function closeIfIdle({ socket, isOld, pending }: Connection): void {
  if (isOld && pending === 0) socket?.[Symbol.dispose]();
}

/** @throws Refusal, NoAnswer; a fault: it is not safe. */
async function socketUrl({ api, host, settings }: LineAccount, signal: AbortSignal): Promise<string> {
  const { body } = await api.call("apps.connections.open", {}, signal, "app");
  const url = needed(body["url"], "url");
  const address = URL.parse(url);
  if (address !== null && /^wss?:$/.test(address.protocol) && isSlacks(address, settings)) return url;
  throw host.fault(
    "again",
    `Slack's socket is said to be at ${address?.host ?? "no address"}, which is not safe. It is asked for again.`,
  );
}

function unwanted(reason: string, { host }: LineAccount): Error {
  if (reason === "link_disabled")
    return host.fault("config", "Socket Mode is switched off. Switch it on, on the page Socket Mode of the app.", {
      sent: "no",
    });
  return host.fault(
    "again",
    "The app has as many sockets as Slack allows. It is tried again; other programs may use the same token.",
    { sent: "no" },
  );
}
