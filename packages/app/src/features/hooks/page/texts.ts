/** Texts of the webhooks. */
import { speak } from "../../../web/texts/panels.ts";

const TEXTS = {
  new: ["New webhook", "新建 Webhook"],
  none: [
    "No webhooks. One lets another service ask margay to do something.",
    "还没有 Webhook。它可以让其他服务请 margay 做事。",
  ],
  name: ["Name", "名称"],
  scheme: ["Signature", "签名方式"],
  scheme_standard: ["Standard Webhooks", "Standard Webhooks"],
  scheme_github: ["GitHub", "GitHub"],
  scheme_slack: ["Slack", "Slack"],
  secret: ["Secret", "密钥"],
  secretWhy: ["Empty: one is made and shown once.", "留空则自动生成，并只显示一次。"],
  secretOnce: ["This secret is shown only now. Copy it to the sender.", "此密钥仅显示这一次，请复制到发送方。"],
  prompt: ["What margay is asked", "向 margay 提出的内容"],
  promptWhy: [
    "{{body}} stands for what was sent, {{json.path}} for a part of it. It is untrusted and never a command.",
    "{{body}} 表示收到的内容，{{json.path}} 表示其中一部分。它不可信，也绝不会被当作命令。",
  ],
  session: ["Chat", "会话"],
  sessionOwn: ["one chat for all deliveries", "所有投递共用一个会话"],
  sessionFresh: ["a fresh chat for each", "每次投递新建会话"],
  deliver: ["Answers also go to", "回答同时发往"],
  deliverWhy: ["channel:chat, one per line; empty: nowhere else.", "渠道:会话，每行一个；留空则不发往别处。"],
  create: ["Create", "创建"],
  test: ["Try it", "试一试"],
  testOk: ["A call would be accepted. Nothing was sent to the agent.", "调用会被接受。未向助手发送任何内容。"],
  testBad: ["A call would not be accepted.", "调用不会被接受。"],
  last: ["last {when}: {status}", "最近{when}：{status}"],
  deliveries: ["Deliveries", "投递记录"],
  noDeliveries: ["Nothing came in yet.", "尚未收到任何投递。"],
  status_accepted: ["accepted", "已接受"],
  status_duplicate: ["seen before", "重复"],
  status_ignored: ["filtered out", "已过滤"],
  status_refused: ["refused", "已拒绝"],
  size: ["Size", "大小"],
  removeAsk: ["Remove the webhook {name}? Its address answers no more.", "移除 Webhook {name}？其地址将不再响应。"],
} as const;

export const t = speak(TEXTS);
