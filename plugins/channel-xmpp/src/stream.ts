/** The library's client, made so that it does what we need: where it connects, what it accepts, and how bytes become text. */
import { randomBytes } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import type { ChannelHost, Clock } from "@margay/core/plugin";
import type { Client, xml } from "@xmpp/client";
import { scram } from "./scram.ts";
import type { Settings } from "./settings.ts";

/** Makes elements. */
export type Xml = typeof xml;

/** What the types of the library leave out. */
export interface StreamManagement {
  enabled: boolean;
  requestAckDebounce: number;
  on(
    event: "ack" | "fail",
    listener: (stanza: { readonly attrs: Readonly<Record<string, string | undefined>> }) => void,
  ): void;
  on(event: "resumed", listener: () => void): void;
}

interface Inside {
  _onData(data: Buffer): void;
  socketParameters(): Readonly<Record<string, unknown>>;
}

/** In the order in which they are taken. */
interface Factory {
  _mechs: readonly { readonly name: string; readonly mech: unknown }[];
}

export interface Stream {
  readonly client: Client;
  readonly management: StreamManagement;
  readonly xml: Xml;
  /** Connects, and logs in or resumes. Resolves when that is done. @throws what the library or the system says. */
  connect(): Promise<"online" | "resumed">;
  /** Ends the socket without a word. */
  cut(): void;
}

const SM = "urn:xmpp:sm:3";
const STEP_MS = 15_000;
const PORTS = { tls: 5223, starttls: 5222, none: 5222 } as const;

/** Which of our connections this is: fixed, as what was sent to it and not read is looked for under its name. */
export async function resourceName(host: ChannelHost): Promise<string> {
  const saved = host.state.value("resource");
  if (typeof saved === "string") return saved;
  const made = newResource();
  await host.state.setValue("resource", made);
  return made;
}

export function newResource(): string {
  return `margay-${randomBytes(6).toString("hex")}`;
}

/** Does no I/O yet. */
export async function openStream(settings: Settings, resource: string, clock: Clock): Promise<Stream> {
  const { client: create, xml: make } = await import("@xmpp/client");
  const { domain, local, password, security } = settings;
  const client = create({
    service: security === "tls" ? "xmpps://server" : "xmpp://server", // the place is `socketParameters`
    domain,
    resource,
    timeout: STEP_MS,
    credentials: async (authenticate, mechanisms) => {
      // A server, or whoever is between, that leaves TLS out of its offers gets no password.
      if (security !== "none" && !client.isSecure()) throw Object.assign(new Error("no TLS"), { code: "NO_TLS" });
      const [mechanism = "SCRAM-SHA-1"] = mechanisms;
      await authenticate({ username: local, password }, mechanism, make("user-agent"));
    },
  });
  const factory = (client as unknown as { readonly saslFactory: Factory }).saslFactory; // not in the types
  const ours = [scram("sha256"), scram("sha1")].map((mech) => ({ name: new mech().name, mech }));
  factory._mechs = [...ours, ...factory._mechs.filter(({ name }) => name === "PLAIN")];
  client.reconnect.stop(); // `link` says when
  const management = client.streamManagement as unknown as StreamManagement; // its events are not in the types
  management.requestAckDebounce = 20;
  client.on("error", () => {}); // whoever waits is told; without a listener it would end the process
  client.setMaxListeners(50); // an attempt that failed is waited for by the library a little longer
  const inside = client as unknown as Inside; // methods that the types do not have
  let decoder = new StringDecoder("utf8");
  // The library makes text of each packet alone, which breaks what lies across two of them; and it fails without a parser.
  inside._onData = (data) => client.parser?.write(decoder.write(data));
  let resumed: (() => void) | undefined;
  management.on("resumed", () => resumed?.());
  let place: Readonly<Record<string, unknown>> = {};
  inside.socketParameters = () => place;
  let counting: PromiseWithResolvers<void> | undefined;
  client.prependListener("element", (element) => {
    if (element.is("enabled", SM) || element.is("failed", SM)) counting?.resolve();
    if (!element.is("features")) return;
    counting = element.getChild("sm", SM) === undefined ? undefined : Promise.withResolvers();
    element.remove("authentication", "urn:xmpp:sasl:2"); // one way to log in is enough to look after
    if (security === "none") element.remove("starttls", "urn:ietf:params:xml:ns:xmpp-tls");
  });
  const stream: Stream = {
    client,
    management,
    xml: make,
    connect: async () => {
      decoder = new StringDecoder("utf8");
      place = await placeOf(settings);
      const { over, settled, failed, resume } = outcomeOf(client, clock);
      resumed = resume;
      try {
        await Promise.race([client.connect(client.options.service ?? ""), settled]);
        await Promise.race([client.open({ domain }), settled]);
        const how = await settled;
        if (how === "resumed" || counting === undefined) return how;
        // The library starts to count a little after the server: whatever is asked for before that is counted wrongly.
        await Promise.race([counting.promise, failed]);
        for (let turn = 0; turn < 50 && !management.enabled; turn++) await Promise.resolve();
        return how;
      } finally {
        over();
      }
    },
    cut: () => {
      const socket: unknown = client.socket;
      destroy(socket);
    },
  };
  return stream;
}

/** Of one attempt: online, or what went wrong first. */
function outcomeOf(
  client: Client,
  clock: Clock,
): {
  readonly settled: Promise<"online" | "resumed">;
  /** Also after that. */
  readonly failed: Promise<never>;
  resume(): void;
  over(): void;
} {
  const { promise, resolve, reject } = Promise.withResolvers<"online" | "resumed">();
  promise.catch(() => {}); // one of the steps may fail before
  const wrong = Promise.withResolvers<never>();
  wrong.promise.catch(() => {}); // told by the other
  const fail = (error: Error): void => {
    reject(error);
    wrong.reject(error);
  };
  const online = (): void => resolve("online");
  const ended = (): void => fail(new Error("the connection was closed"));
  const timer = clock.timer(2 * STEP_MS, () => fail(new Error("no answer")));
  client.on("online", online).on("error", fail).on("disconnect", ended);
  return {
    settled: promise,
    failed: wrong.promise,
    resume: () => resolve("resumed"),
    over: () => {
      timer[Symbol.dispose]();
      client.off("online", online).off("error", fail).off("disconnect", ended);
    },
  };
}

/** The certificate is to be that of the domain, wherever the DNS says that its server is. */
async function placeOf({ host, port, domain, security }: Settings): Promise<Readonly<Record<string, unknown>>> {
  const found = host === undefined ? await lookUp(domain, security) : { host, port: PORTS[security] };
  return {
    host: found.host,
    port: port ?? found.port,
    ...(security === "tls" && { servername: domain, ALPNProtocols: ["xmpp-client"] }),
  };
}

async function lookUp(
  domain: string,
  security: Settings["security"],
): Promise<{ readonly host: string; readonly port: number }> {
  const { resolveSrv } = process.getBuiltinModule("node:dns").promises;
  try {
    const found = await resolveSrv(`_xmpp${security === "tls" ? "s" : ""}-client._tcp.${domain}`);
    const [best] = found.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight);
    if (best !== undefined && best.name !== "") return { host: best.name, port: best.port };
  } catch {
    // no such entry: the domain itself
  }
  return { host: domain, port: PORTS[security] };
}

/** A socket, or the library's wrap of one. */
function destroy(socket: unknown): void {
  if (typeof socket !== "object" || socket === null) return;
  if ("destroy" in socket && typeof socket.destroy === "function") socket.destroy();
  else if ("socket" in socket) destroy(socket.socket);
}
