/**
 * Socket Mode without a gap: when Slack wants another socket, the next one is open before the last one is closed. Slack tells
 * each thing on one of them.
 */
import { needed } from "./json.ts";
import { isSlacks } from "./settings.ts";
import { type Envelope, openSocket, type Socket } from "./socket.ts";
import type { Account } from "./account.ts";

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
  const { host } = account;
  const queue: Told[] = [];
  const all = new Set<Connection>();
  let current: Connection | undefined;
  let next: Connection | undefined;
  let ended: unknown;
  let isOver = false;
  let wake = (): void => {};
  const end = (error: unknown): void => {
    ended ??= error;
    wake();
  };
  const stop = (): void => end(signal.reason);
  const closeIfIdle = ({ socket, isOld, pending }: Connection): void => {
    if (isOld && pending === 0) socket?.[Symbol.dispose]();
  };
  const isUp = (connection: Connection): void => {
    const last = current;
    const isWhole = last?.isOpen === true;
    current = connection;
    next = undefined;
    if (last !== undefined) {
      last.isOld = true;
      closeIfIdle(last);
    }
    up(isWhole);
  };
  const told = (connection: Connection, envelope: Envelope): void => {
    connection.pending += 1;
    const acknowledge = (): void => {
      connection.socket?.acknowledge(envelope.id);
      connection.pending -= 1;
      closeIfIdle(connection);
    };
    queue.push({ envelope, acknowledge });
    wake();
  };
  const replace = (connection: Connection, reason: string): void => {
    if (reason === "link_disabled" || reason === "too_many_websockets") end(unwanted(reason, account));
    else if (connection === current && next === undefined) open().catch(end);
  };
  const closed = (connection: Connection, error: Error): void => {
    connection.isOpen = false;
    all.delete(connection);
    // One that is being made takes its place; what comes meanwhile is asked for.
    const isNeeded = connection === next || (connection === current && next === undefined);
    if (isNeeded && !isOver)
      end(host.fault("again", `The connection to Slack ended: ${error.message}. It is made anew.`, { sent: "no" }));
  };
  const open = async (): Promise<void> => {
    const connection: Connection = { isOpen: true, pending: 0, isOld: false };
    next = connection;
    const url = await socketUrl(account, signal);
    if (isOver) return;
    all.add(connection);
    connection.socket = openSocket(url, host, {
      hello: () => isUp(connection),
      envelope: (envelope) => told(connection, envelope),
      disconnect: (reason) => replace(connection, reason),
      closed: (error) => closed(connection, error),
    });
  };
  signal.addEventListener("abort", stop, { once: true });
  open().catch(end);
  return {
    async next() {
      for (;;) {
        signal.throwIfAborted();
        const found = queue.shift();
        if (found !== undefined) return found;
        if (ended !== undefined) throw ended;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    [Symbol.dispose]: () => {
      isOver = true;
      signal.removeEventListener("abort", stop);
      for (const { socket } of [...all]) socket?.[Symbol.dispose]();
    },
  };
}

/** @throws Refusal, NoAnswer; a fault: it is not safe. */
async function socketUrl({ api, host, settings }: LineAccount, signal: AbortSignal): Promise<string> {
  const { body } = await api.call("apps.connections.open", {}, signal, "app");
  const url = needed(body["url"], "url");
  const address = URL.parse(url);
  if (address !== null && /^wss?:$/.test(address.protocol) && isSlacks(address, settings)) return url;
  throw host.fault(
    "again",
    `Slack's socket is said to be at ${address?.host ?? url}, which is not safe. It is asked for again.`,
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
