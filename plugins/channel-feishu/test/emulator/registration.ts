// How an app is made for who scans a code: RFC 8628 at `/oauth/v1/app/registration`, of Feishu and, below `/lark`, of Lark.
import { gunzipSync } from "node:zlib";
import { isRecord, type Json } from "./http.ts";
import type { Answer } from "./refusal.ts";
import type { World } from "./world.ts";

export type Brand = "feishu" | "lark";

interface Code {
  readonly device: string;
  readonly user: string;
  readonly until: number;
  asked: number;
  everyMs: number;
  state: "pending" | "agreed" | "refused" | "used";
  /** Of who scanned. */
  brand: Brand | undefined;
}

/** What the page showed to who scanned. */
export interface Scanned {
  readonly addons: Json | undefined;
  /** The app that was to be kept. */
  readonly clientId: string | undefined;
}

const PATH = "/oauth/v1/app/registration";
const BEGIN: Json = {
  action: "begin",
  archetype: "PersonalAgent",
  auth_method: "client_secret",
  request_user_info: "open_id",
};

export class Registration {
  /** How long a code holds, and how often it may be asked for. */
  seconds = { expires: 600, interval: 5 };
  readonly #codes: Code[] = [];
  readonly #world: World;
  readonly #url: () => string;
  readonly #complain: (text: string) => void;

  constructor(world: World, url: () => string, complain: (text: string) => void) {
    this.#world = world;
    this.#url = url;
    this.#complain = complain;
  }

  /** How many codes were made. */
  get made(): number {
    return this.#codes.length;
  }

  /** Undefined: it is nothing of this. */
  answer(method: string, path: string, body: Json, type: string | undefined): Answer | undefined {
    if (!path.endsWith(PATH)) return undefined;
    const brand = path === `/lark${PATH}` ? "lark" : path === PATH ? "feishu" : undefined;
    if (brand === undefined || method !== "POST" || type?.startsWith("application/x-www-form-urlencoded") !== true) {
      this.#complain(`registration: ${method} ${path} of ${type ?? "no type"}`);
      return refused("invalid_request", "a form is wanted");
    }
    if (body["action"] === "begin") return this.#begin(body);
    if (body["action"] === "poll") return this.#poll(body, brand);
    this.#complain(`registration: action ${String(body["action"])}`);
    return refused("invalid_request", "unknown action");
  }

  /** Somebody holds the phone in front of the code. @param url what the code says */
  scan(url: string, how: "agree" | "refuse", brand: Brand = "feishu"): Scanned {
    const { pathname, searchParams } = new URL(url);
    if (pathname !== "/page/launcher") throw new Error(`the code leads to ${pathname}`);
    // Without these the page is that of another program.
    for (const name of ["from", "tp"]) if (searchParams.get(name) !== "sdk") throw new Error(`${name} is missing`);
    const code = this.#codes.find(({ user }) => user === searchParams.get("user_code"));
    if (code === undefined || code.until <= this.#world.now()) throw new Error("the page says that the code is over");
    code.state = how === "agree" ? "agreed" : "refused";
    code.brand = brand;
    const addons = searchParams.get("addons");
    return {
      addons: addons === null ? undefined : addonsIn(addons),
      clientId: searchParams.get("clientID") ?? undefined,
    };
  }

  #begin(body: Json): Answer {
    for (const name of new Set([...Object.keys(BEGIN), ...Object.keys(body)]))
      if (body[name] !== BEGIN[name]) {
        this.#complain(`registration: begin with ${name} ${String(body[name])}`);
        return refused("invalid_request", name);
      }
    const number = this.#codes.length + 1;
    const { expires, interval } = this.seconds;
    const now = this.#world.now();
    const code: Code = {
      device: `device-${number}-${"x".repeat(24)}`,
      user: `CODE-${number}`,
      until: now + expires * 1000,
      asked: now,
      everyMs: interval * 1000,
      state: "pending",
      brand: undefined,
    };
    this.#codes.push(code);
    const page = `${this.#url()}/page/launcher`;
    return {
      status: 200,
      body: {
        device_code: code.device,
        user_code: code.user,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${code.user}`,
        expires_in: expires,
        interval,
      },
    };
  }

  #poll({ device_code: device }: Json, brand: Brand): Answer {
    const code = this.#codes.find((one) => one.device === device);
    const now = this.#world.now();
    if (code === undefined || code.state === "used") return refused("invalid_grant", "no such code");
    // The time of who asks and ours are two.
    const isEarly = now < code.asked + code.everyMs - 100 && code.state === "pending";
    code.asked = now;
    if (code.until <= now) return refused("expired_token", "the code has expired");
    if (code.state === "refused") return refused("access_denied", "the user has refused it");
    if (isEarly) {
      code.everyMs += 5000;
      return refused("slow_down", "too often");
    }
    if (code.state === "pending") return refused("authorization_pending", "nobody has agreed yet");
    const user = { open_id: "ou_0123456789abcdef0123456789abcdef", tenant_brand: code.brand };
    // Who belongs to the other one is told so by either, and has their app there alone.
    if (code.brand === "lark" && brand === "feishu")
      return { status: 400, body: { error: "authorization_pending", user_info: user } };
    if (code.brand === "feishu" && brand === "lark") return refused("invalid_grant", "no such code");
    code.state = "used";
    const { appId, secret } = this.#world;
    return { status: 200, body: { client_id: appId, client_secret: secret, user_info: user } };
  }
}

function refused(error: string, description: string): Answer {
  return { status: 400, body: { error, error_description: description } };
}

/** @throws what the page cannot read */
function addonsIn(text: string): Json {
  if (!/^[\w-]+$/.test(text)) throw new Error("addons are no base64url");
  const addons: unknown = JSON.parse(gunzipSync(Buffer.from(text, "base64url")).toString("utf8"));
  if (!isRecord(addons)) throw new Error("addons are no object");
  for (const name of Object.keys(addons))
    if (!["preset", "scopes", "events", "callbacks"].includes(name)) throw new Error(`addons have ${name}`);
  return addons;
}
