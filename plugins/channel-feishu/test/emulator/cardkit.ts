// Cards as entities: made, shown by one message, changed in the order of their numbers, written letter by letter for a while.
import { randomInt } from "node:crypto";
import { checkCard, elementsOf, parsed } from "./contents.ts";
import { isRecord, type Json } from "./http.ts";
import { refusal } from "./refusal.ts";
import { type Call, data, type Route } from "./route.ts";
import type { Card, World } from "./world.ts";

const SCOPES = ["cardkit:card:write"];
const STREAM_MS = 600_000;
const MAX_SEQUENCE = 0x7f_ff_ff_ff;

export const CARD_ROUTES: readonly Route[] = [
  { name: "POST /cardkit/v1/cards", scopes: SCOPES, fields: ["type!", "data!"], act: create },
  { name: "PUT /cardkit/v1/cards/:card", scopes: SCOPES, fields: ["card!", "sequence!", "uuid"], act: update },
  {
    name: "PATCH /cardkit/v1/cards/:card/settings",
    scopes: SCOPES,
    fields: ["settings!", "sequence!", "uuid"],
    act: settings,
  },
  {
    name: "PUT /cardkit/v1/cards/:card/elements/:element/content",
    scopes: SCOPES,
    fields: ["content!", "sequence!", "uuid"],
    act: write,
  },
];

/** The card of a message that shows one. It can be shown once. @throws Refusal. */
export function shownCard(world: World, text: string): Card | undefined {
  const content = parsed(text);
  if (content?.["type"] !== "card") return undefined;
  const card = world.cards.get(isRecord(content["data"]) ? String(content["data"]["card_id"]) : "");
  if (card === undefined || card.isShown) throw refusal(230_099, "the card cannot be sent");
  card.isShown = true;
  return card;
}

function create({ world, body }: Call): Json {
  const content = contentOf(body);
  const id = String(randomInt(2 ** 47, 2 ** 48 - 1));
  const card: Card = { id, content, sequence: 0, streamsUntil: 0, isShown: false, updates: 0 };
  configure(world, card, content);
  world.cards.set(id, card);
  return data({ card_id: id });
}

function update(call: Call): Json {
  const card = cardOf(call);
  const content = contentOf(isRecord(call.body["card"]) ? call.body["card"] : {});
  configure(call.world, card, content);
  card.content = content;
  card.updates += 1;
  return data({});
}

function settings(call: Call): Json {
  const card = cardOf(call);
  const given = parsed(String(call.body["settings"]));
  if (given === undefined || !isRecord(given["config"])) throw refusal(10_003);
  configure(call.world, card, given);
  return data({});
}

function write(call: Call): Json {
  const card = cardOf(call);
  if (card.streamsUntil <= call.world.now()) throw refusal(300_309);
  const element = elementsOf(card.content["body"]).find((one) => one["element_id"] === call.path["element"]);
  if (element === undefined || !["markdown", "plain_text"].includes(String(element["tag"]))) throw refusal(300_313);
  Object.assign(element, { content: String(call.body["content"]) });
  card.updates += 1;
  return data({});
}

/** @throws Refusal: there is none, or its number has been there. */
function cardOf({ world, path, body }: Call): Card {
  const card = world.cards.get(path["card"] ?? "");
  if (card === undefined) throw refusal(200_740);
  const { sequence } = body;
  if (!Number.isInteger(sequence) || Number(sequence) > MAX_SEQUENCE || Number(sequence) <= card.sequence)
    throw refusal(300_317);
  card.sequence = Number(sequence);
  return card;
}

function contentOf({ type, data: text }: Json): Json {
  const content = type === "card_json" ? parsed(String(text)) : undefined;
  if (content === undefined) throw refusal(10_003);
  checkCard(content);
  return content;
}

function configure(world: World, card: Card, { config }: Json): void {
  if (!isRecord(config) || config["update_multi"] === false) throw refusal(10_003);
  if ("streaming_mode" in config || "summary" in config)
    card.streamsUntil = config["streaming_mode"] === true ? world.now() + STREAM_MS : 0;
}
