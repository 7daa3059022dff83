import type { Texts } from "@margay/core/internal";
import type { PEOPLE_TEXTS } from "./texts.en.ts";

export const PEOPLE_TEXTS_ZH: Texts<typeof PEOPLE_TEXTS> = {
  "about.people": "谁在给 margay 写消息，以及他们的身份",
  "about.people.list": "所有已知的人及其依据的设置",
  "about.people.link": "聊天平台上属于您的账号：从该账号写入者拥有您的全部权限",
  "about.people.unlink": "不再属于您的账号",
  "about.people.explain": "margay 把某个发送者当作谁，以及原因；不请求模型",
  "people.none": "除您之外没有其他人：没有聊天平台允许任何人写入。",
  "people.role.operator": "所有者",
  "people.role.guest": "访客",
  "people.role.stranger": "陌生人",
  "people.by.entrance": "本机入口",
  "people.by.operators": "`channels.{channel}.operators`",
  "people.by.paired-operator": "以操作员身份接受的配对码",
  "people.by.listed": "`channels.{channel}.allowFrom`",
  "people.by.everyone": "`channels.{channel}.allowFrom` 中的 `*`",
  "people.by.paired": "配对码",
  "people.operator": "{who} 是所有者，依据：{because}。能看到您所看到的一切，并拥有您的全部权限。",
  "people.guest":
    "{who} 是访客，依据：{because}。看不到所有者的文件、记忆和会话。如果这是所有者的账号：`margay people link owner {who}`",
  "people.stranger":
    "{who} 是陌生人：其内容不会交给任何模型。在私聊中会得到用于 `margay channels pair CODE` 的配对码。如果这是所有者的账号：`margay people link owner {who}`",
  "people.program": "持有您的令牌的程序：能看到您所看到的一切，但不能回答待批准的请求。令牌的权限在创建时选定。",
  "people.linked": "{who} 现在属于您。其消息文本视同您本人的话。",
  "people.already": "{who} 本来就属于您。",
  "people.unlinked": "{who} 不再属于您。",
  "people.notLinked": "channels.{channel}.operators 中没有 {who}。`margay people list` 会列出已知的人及其依据。",
  "people.unknown": "没有名为 {name} 的人；只有 owner。",
  "people.identity": "请以 CHANNEL:ID 的形式填写账号，使用平台显示的 id 而不是名称：telegram:42。渠道：{channels}。",
};
