// What is put below messages: each by each once, by an id. The app is told of its own, too.
import { isRecord, type Json } from "./http.ts";
import { refusal } from "./refusal.ts";
import { type Call, data, type Route } from "./route.ts";
import type { Message, World } from "./world.ts";

const SCOPES = ["im:message", "im:message.reactions:write_only"];
/** Of those that there are. */
const TYPES =
  "APPLAUSE CRY CheckMark CrossMark DONE FINGERHEART FIRE HEART JIAYI LAUGH LOL MUSCLE OK OnIt PARTY SMILE THANKS THINKING THUMBSUP ThumbsDown Typing";

export const REACTION_ROUTES: readonly Route[] = [
  { name: "POST /im/v1/messages/:id/reactions", scopes: SCOPES, fields: ["reaction_type!"], act: add },
  { name: "DELETE /im/v1/messages/:id/reactions/:reaction", scopes: SCOPES, fields: [], act: remove },
];

function add({ world, path, body }: Call): Json {
  const message = there(world, path["id"]);
  const type = isRecord(body["reaction_type"]) ? String(body["reaction_type"]["emoji_type"]) : "";
  if (!TYPES.split(" ").includes(type)) throw refusal(231_001);
  const before = [...message.reactions].find(([, one]) => one === type)?.[0];
  const id = before ?? `ZCaCIjUBVVWSrm5L-${message.id}-${message.reactions.size}`;
  message.reactions.set(id, type);
  if (before === undefined) tell(world, "created", message, type);
  return data({
    reaction_id: id,
    operator: { operator_id: world.appId, operator_type: "app" },
    action_time: String(world.now()),
    reaction_type: { emoji_type: type },
  });
}

function remove({ world, path }: Call): Json {
  const message = there(world, path["id"]);
  const id = path["reaction"] ?? "";
  const type = message.reactions.get(id);
  if (type === undefined) throw refusal(231_011);
  message.reactions.delete(id);
  tell(world, "deleted", message, type);
  return data({ reaction_id: id, reaction_type: { emoji_type: type } });
}

function there(world: World, id = ""): Message {
  const message = world.messages.get(id);
  if (message === undefined || message.deleted) throw refusal(231_003);
  if (!message.chat.hasBot) throw refusal(231_002);
  return message;
}

function tell(world: World, what: "created" | "deleted", { id }: Message, type: string): void {
  world.tell(`im.message.reaction.${what}_v1`, {
    message_id: id,
    reaction_type: { emoji_type: type },
    operator_type: "app",
    app_id: world.appId,
    action_time: String(world.now()),
  });
}
