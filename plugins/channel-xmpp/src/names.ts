/** The names of the protocol that are used here, each by what it is for. */
export const NS = {
  archive: "urn:xmpp:mam:2",
  carbons: "urn:xmpp:carbons:2",
  chatState: "http://jabber.org/protocol/chatstates",
  contacts: "jabber:iq:roster",
  correction: "urn:xmpp:message-correct:0",
  retraction: "urn:xmpp:message-retract:1",
  oldRetraction: "urn:xmpp:message-retract:0",
  fastening: "urn:xmpp:fasten:0",
  moderation: "urn:xmpp:message-moderate:1",
  oldModeration: "urn:xmpp:message-moderate:0",
  delay: "urn:xmpp:delay",
  fallback: "urn:xmpp:fallback:0",
  form: "jabber:x:data",
  forward: "urn:xmpp:forward:0",
  hints: "urn:xmpp:hints",
  ids: "urn:xmpp:sid:0",
  info: "http://jabber.org/protocol/disco#info",
  page: "http://jabber.org/protocol/rsm",
  ping: "urn:xmpp:ping",
  reactions: "urn:xmpp:reactions:0",
  receipts: "urn:xmpp:receipts",
  reply: "urn:xmpp:reply:0",
  room: "http://jabber.org/protocol/muc",
  roomUser: "http://jabber.org/protocol/muc#user",
  stanzaErrors: "urn:ietf:params:xml:ns:xmpp-stanzas",
} as const;

/** An element that came, as far as it is read here: the library's own says `any` of its attributes. */
export interface Stanza {
  readonly name: string;
  readonly attrs: Readonly<Record<string, string | undefined>>;
  getChild(name: string, namespace?: string): Stanza | undefined;
  getChildren(name: string, namespace?: string): readonly Stanza[];
  getChildElements(): readonly Stanza[];
  getChildText(name: string, namespace?: string): string | null;
  getText(): string;
  getNS(): string | undefined;
  is(name: string, namespace?: string): boolean;
  toString(): string;
}

/** One message as an archive keeps it. */
export interface Archived {
  readonly id: string;
  readonly stanza: Stanza;
  /** When it came. */
  readonly at: number | undefined;
}

/** The time of a delay. */
export function stampOf(delay: Stanza | undefined): number | undefined {
  const at = Date.parse(delay?.attrs["stamp"] ?? "");
  return Number.isNaN(at) ? undefined : at;
}
