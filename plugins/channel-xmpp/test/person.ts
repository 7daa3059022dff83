/** Somebody who writes to the channel, with a client of their own. */
import { StringDecoder } from "node:string_decoder";
import { client, xml, type Client } from "@xmpp/client";
import { NS, type Stanza } from "../src/names.ts";

export const DOMAIN = "chat.test";
export const PASSWORD = "correct-horse";
export const USERS = ["bot", "anna", "bert"] as const;

export interface Seen {
  readonly from: string;
  readonly text: string;
  readonly id: string;
  readonly stanza: Stanza;
}

export class Person {
  readonly jid: string;
  /** Messages with words, in their order. */
  readonly seen: Seen[] = [];
  /** All that came. */
  readonly stanzas: Stanza[] = [];
  readonly #client: Client;
  readonly #watchers = new Set<() => void>();
  #said = 0;

  constructor({ user, resource, port }: { readonly user: string; readonly resource: string; readonly port: number }) {
    this.jid = `${user}@${DOMAIN}`;
    this.#client = client({
      service: `xmpp://127.0.0.1:${port}`,
      domain: DOMAIN,
      // The library's SCRAM takes seconds.
      credentials: (authenticate) => authenticate({ username: user, password: PASSWORD }, "PLAIN", xml("user-agent")),
      resource,
      timeout: 20_000,
    });
    this.#client.reconnect.stop();
    // The library makes text of each packet alone: a character across two of them would be broken.
    const decoder = new StringDecoder("utf8");
    (this.#client as unknown as { _onData(data: Buffer): void })._onData = (data) =>
      this.#client.parser?.write(decoder.write(data));
    // The library counts wrongly when something comes together with the answer to this.
    this.#client.prependListener("element", (element) => {
      if (!element.is("features")) return;
      element.remove("sm", "urn:xmpp:sm:3");
      element.remove("starttls", "urn:ietf:params:xml:ns:xmpp-tls"); // whom a person trusts is no matter here
    });
    this.#client.on("error", () => {}); // a test that needs it will miss what it waits for
    this.#client.on("stanza", (stanza: Stanza) => {
      this.stanzas.push(stanza);
      const text = stanza.getChildText("body");
      const { from = "", id = "", type } = stanza.attrs;
      if (stanza.name === "message" && text !== null && type !== "error") this.seen.push({ from, text, id, stanza });
      for (const look of [...this.#watchers]) look();
    });
  }

  async connect(): Promise<void> {
    await this.#client.start();
    await this.send(xml("presence"));
  }

  send(stanza: ReturnType<typeof xml>): Promise<void> {
    return this.#client.send(stanza);
  }

  /** @returns the id of the message. */
  async write(
    to: string,
    text: string,
    options: { readonly type?: string; readonly id?: string; readonly more?: readonly ReturnType<typeof xml>[] } = {},
  ): Promise<string> {
    const id = options.id ?? `said-${++this.#said}`;
    const type = options.type ?? (to.includes("rooms.") ? "groupchat" : "chat");
    await this.send(xml("message", { to, type, id }, xml("body", {}, text), ...(options.more ?? [])));
    return id;
  }

  /** Resolves when the server has handled all that was sent, and what it had for us is here. */
  async settled(): Promise<void> {
    await this.#client.iqCaller.request(xml("iq", { type: "get", to: DOMAIN }, xml("ping", { xmlns: NS.ping })));
  }

  async joins(room: string, nickname: string): Promise<void> {
    await this.send(
      xml("presence", { to: `${room}/${nickname}` }, xml("x", { xmlns: NS.room }, xml("history", { maxstanzas: "0" }))),
    );
    await this.until(() =>
      this.stanzas.some(
        ({ name, attrs }) =>
          name === "presence" && attrs["from"] === `${room}/${nickname}` && attrs["type"] === undefined,
      ),
    );
  }

  /** As its owner: what the room tells of its members. */
  async configures(room: string, fields: Readonly<Record<string, string>>): Promise<void> {
    const field = (name: string, value: string): ReturnType<typeof xml> =>
      xml("field", { var: name }, xml("value", {}, value));
    await this.#client.iqCaller.request(
      xml(
        "iq",
        { type: "set", to: room },
        xml(
          "query",
          { xmlns: "http://jabber.org/protocol/muc#owner" },
          xml(
            "x",
            { xmlns: NS.form, type: "submit" },
            field("FORM_TYPE", "http://jabber.org/protocol/muc#roomconfig"),
            ...Object.entries(fields).map(([name, value]) => field(name, value)),
          ),
        ),
      ),
    );
  }

  async blocks(jid: string, isBlocked: boolean): Promise<void> {
    const item = xml("item", { jid });
    await this.#client.iqCaller.request(
      xml("iq", { type: "set" }, xml(isBlocked ? "block" : "unblock", { xmlns: "urn:xmpp:blocking" }, item)),
    );
  }

  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  /** Resolves when so many messages were seen. */
  sees(count: number): Promise<void> {
    return this.until(() => this.seen.length >= count);
  }

  leave(): void {
    const socket: unknown = this.#client.socket;
    if (typeof socket === "object" && socket !== null && "destroy" in socket && typeof socket.destroy === "function")
      socket.destroy();
  }
}
