// Feishu on this machine: the open platform and its long connection, people and their chats behind it, and a way to make it misbehave.
import { createServer } from "node:http";
import { type Button, buttonsOf, callsIn, textOf } from "./contents.ts";
import { Calls } from "./calls.ts";
import { type Event, Gateway } from "./gateway.ts";
import { close, type Fault, type Json, listen, type Upload } from "./http.ts";
import { Registration } from "./registration.ts";
import { receive, type RequestRecord, type State } from "./server.ts";
import { type Chat, type Draft, type Message, type Person, World } from "./world.ts";

export interface FeishuOptions {
  /** Default: the time of the machine. */
  readonly now?: () => number;
  /** How much faster than the platform it tells things again. Default 1. */
  readonly speed?: number;
  /** Default 120. */
  readonly pingSeconds?: number;
  /** Whether a chat takes five messages in a second. Default: as many as come. */
  readonly paced?: boolean;
}

/** A message as people see it. */
interface Shown {
  readonly id: string;
  readonly own: boolean;
  readonly type: string;
  readonly text: string;
  readonly content: Json;
  readonly buttons: readonly Button[];
  readonly calls: number;
  readonly edits: number;
  readonly thread?: string;
  readonly root?: string;
  readonly parent?: string;
}

/** A Feishu that was started. */
export type Feishu = Awaited<ReturnType<typeof startFeishu>>;

/** Starts a Feishu with one app and no people on 127.0.0.1. */
export async function startFeishu(options: FeishuOptions = {}) {
  const { now = Date.now, speed = 1, pingSeconds = 120, paced = false } = options;
  const watchers = new Set<() => void>();
  const changed = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  const world = new World(now);
  const complaints: string[] = [];
  const calls = new Calls(now, changed);
  const gateway = new Gateway({ complain: (text) => void complaints.push(text), changed, speed, pingSeconds, calls });
  world.tell = (type, event) => void gateway.tell(type, event);
  let url = "";
  const registration = new Registration(
    world,
    () => url,
    (text) => void complaints.push(text),
  );
  const state: State = {
    world,
    gateway,
    faults: [],
    requests: [],
    complaints,
    uuids: new Map(),
    tokens: new Map(),
    floods: new Map(),
    sends: new Map(),
    isPaced: paced,
    changed,
    url: () => url,
    registration,
    endpointCode: 0,
  };
  const server = createServer((incoming, response) => {
    receive(state, incoming, response).catch((error: unknown) => {
      complaints.push(`the emulator itself failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.on("upgrade", (incoming, socket, head: Buffer) => gateway.upgrade(incoming, socket, head));
  url = `http://127.0.0.1:${await listen(server)}`;
  const until = (condition: () => boolean): Promise<void> => watch(watchers, condition);
  return {
    url,
    world,
    gateway,
    /** Where apps are made for who scans a code. */
    registration,
    /** How it calls the app, once `calls.verify` has found it. */
    outgoing: calls,
    settings: { appId: world.appId, appSecret: world.secret, baseUrl: url },
    requests: state.requests as readonly RequestRecord[],
    ...peopleOf(world, gateway, until),
    /** Oldest first. */
    shown: ({ id }: { readonly id: string }) => shown(world, id),
    /** The requests of a route. */
    asked: (route: string) => state.requests.filter((one) => one.route === route),
    fault: (when: string | ((route: string) => boolean), how: Fault, times = 1) =>
      void state.faults.push({ when, how, left: times }),
    /** Refuses for so many seconds, in one chat or everywhere. */
    flood: (seconds: number, chat?: Chat) => void state.floods.set(chat?.id ?? "all", now() + seconds * 1000),
    /** No token holds any more. */
    expireTokens: () => {
      for (const token of state.tokens.keys()) state.tokens.set(token, 0);
    },
    endpointSays: (code: number) => void (state.endpointCode = code),
    takeComplaints: () => complaints.splice(0),
    /** Resolves when it is so; looked at after every request, answer, frame and act of a person. */
    until,
    async [Symbol.asyncDispose]() {
      gateway.end();
      await close(server);
      if (complaints.length > 0) throw new Error(`Feishu would not know:\n${complaints.join("\n")}`);
    },
  };
}

/** What people do. */
function peopleOf(world: World, gateway: Gateway, until: (condition: () => boolean) => Promise<void>) {
  const write = (author: string, chat: Chat, text: string, draft: Draft = {}): Message => {
    const { type = "text", content = { text } } = draft;
    return world.say(chat, author, { ...draft, type, content });
  };
  const tell = (message: Message): Event => gateway.tell("im.message.receive_v1", world.eventOf(message));
  return {
    person: (name: string) => world.person(name),
    dm: (person: Person) => world.dm(person),
    group: (...people: readonly Person[]) => world.chat("group", people),
    topics: (...people: readonly Person[]) => world.chat("topic", people),
    /** Somebody writes, and the app is told. */
    write(person: Person, chat: Chat, text: string, draft: Draft = {}): Message {
      const message = write(person.openId, chat, text, draft);
      tell(message);
      return message;
    },
    /** Somebody writes, and the app is not told: it is away, or another connection got it. */
    writeUntold: (person: Person, chat: Chat, text: string, draft: Draft = {}) =>
      write(person.openId, chat, text, draft),
    /** Another app writes. */
    writeAs: (app: string, chat: Chat, text: string) => {
      const message = write(app, chat, text);
      tell(message);
      return message;
    },
    /** It is taken back. What was changed Feishu tells nobody. */
    recall(message: Message): void {
      message.deleted = true;
      const { id: message_id, chat } = message;
      const event = { message_id, chat_id: chat.id, recall_time: String(Date.now()), recall_type: "message_owner" };
      gateway.tell("im.message.recalled_v1", event);
    },
    /** The message is told under another event, as the platform does. */
    tellAgain: tell,
    keep: (kind: string, name: string, bytes: Upload["bytes"] | string) =>
      world.keep(kind, { name, type: "", bytes: Buffer.from(bytes as string) }),
    /** @returns what the client shows; undefined: nothing in three seconds. */
    async press(person: Person, message: string, label: string): Promise<Json | undefined> {
      const found = world.message(message);
      const button = buttonsOf(found.content).find((one) => one.label === label);
      if (button === undefined) throw new Error(`there is no button ${label}`);
      const event = gateway.tell("card.action.trigger", {
        operator: { open_id: person.openId, union_id: person.unionId, tenant_key: "tenant" },
        token: "c-token",
        action: { value: button.value, tag: "button", timezone: "Asia/Shanghai" },
        host: "im_message",
        context: { open_message_id: message, open_chat_id: found.chat.id },
      });
      await until(() => event.answer !== undefined);
      return event.answer?.["toast"] as Json | undefined;
    },
  };
}

function shown(world: World, chat: string): readonly Shown[] {
  const messages = [...world.messages.values()].filter((message) => message.chat.id === chat);
  return messages.map(({ id, author, type, content: own, card, edits, thread, root, parent }) => {
    const content = card?.content ?? own;
    return {
      id,
      own: author === world.appId,
      type,
      text: textOf(type, content),
      content,
      buttons: type === "interactive" ? buttonsOf(content) : [],
      calls: author === world.appId ? callsIn(content) : 0,
      edits: edits + (card?.updates ?? 0),
      ...(thread !== undefined && { thread }),
      ...(root !== undefined && { root }),
      ...(parent !== undefined && { parent }),
    };
  });
}

function watch(watchers: Set<() => void>, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!condition()) return;
      watchers.delete(check);
      resolve();
    };
    watchers.add(check);
    check();
  });
}
