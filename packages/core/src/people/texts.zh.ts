import type { Texts } from "../lib/texts.ts";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  withheld: "这些内容我不能在这里说，须由其所有者本人来说。",
  "withheld.asked": "这些内容我不能在这里说，已去询问。",

  owner: "所有者",
  "owner.first": "所有者",

  "release.asked":
    "在 {from} 的会话里，想把下面的内容告诉 {reader}（{chat}），其中可能有属于您的内容。只有 {reader} 会读到：",
  "release.answered": "在 {reader} 的会话（{chat}）里，我本想这样回答，其中可能有属于您的内容。只有 {reader} 会读到：",
  "release.blind":
    "我本想在这里（{chat}）说的话用到了不给您看的内容，也可能有属于您的内容。我可以询问 {others}，对方会读到全文；对方同意后您才会读到。",
  "release.blindAnswer": "`/allow {code}` 让我去问，`/deny {code}` 不问。24 小时后不再询问。",
  "release.question": "{from} 通过我向您提问；您不同意，对方什么也不会收到：",
  "release.draft": "根据您让我读取的内容，我会这样回答，只有 {reader} 会读到：",
  "release.nothing": "在属于您的内容里，我没有找到相关信息。",
  "release.sources": "其中可能用到的您的内容：",
  "release.found": "来源：",
  "release.then": "在您之后还会询问 {others}，届时对方会看到这段文字。",
  "release.answer":
    "`/allow {code}` 原样发送，`/allow {code} 您的话` 改为发送这些话，`/deny {code}` 什么也不发送。对方不会知道您选了哪一个。24 小时后不再发送。",
  "release.words":
    "`/allow {code} 您的话` 发送这些话，`/deny {code}` 什么也不发送。对方不会知道您选了哪一个。24 小时后不再发送。",
  "release.always":
    "`/allow {code} always`：发送，并且以后仅由上述内容（按现在的原文）得出的答复会直接告诉{reader}，不再询问。`/shared` 可列出和撤回。",
  "release.told": "此前：{text}",
  "release.earlier": "此前会话中的内容",
  "release.by": "由 {tool} 找到",
  flood: "一分钟内超过 {count} 条消息我处理不了，超出的部分不会读取。请一分钟后再写。/stop 随时有效。",
  floodInGroup: "有人一分钟内给我发了超过 {count} 条消息，超出的部分不会读取。",
  "ask.answer": "{name} 回答：{text}",

  "chat.titled": "“{title}”，{chat}",

  "call.askedFirst": "我得先问一下。",
  "call.askedOwner": "我得先问一下主人，对方会看到我打算做什么。",
  "call.asked": "在{place}，我打算这样做，没有您的同意不能做：",
  "call.room": "与 {name} 的会话里",
  "call.group": "一个群组（{chat}）里",
  "call.guest": "一位访客的会话（{chat}）里",
  "call.answer":
    "`/allow {code}` 允许照此做一次，`/deny {code}` 不允许。我会等一会儿，然后不做而继续；之后的同意会让我到时再做。24 小时后不再有效。",
};
