import type { Texts } from "@margay/core/internal";
import type { en } from "./guides.en.ts";

export const zh: Texts<typeof en> = {
  webhook:
    "1. 选择一个足够长的随机密钥，双方各存一份。\n2. 填写接收回复的地址，回复以签名的 POST 发送。\n3. 如需接收消息，填写端口：向 127.0.0.1 的 `POST /webhook` 发送，并带上 `x-margay-timestamp` 与 `x-margay-signature`。\n4. 列出允许写入的发送者的准确 id。",
  secret: "密钥",
  secretWhy: "为双向消息签名，至少 16 个字符。",
  ways: "收发",
  url: "回复地址",
  urlWhy: "回复发送到该地址。",
  port: "接收端口",
  portWhy: "在 127.0.0.1 的该端口接收消息；0 表示任一空闲端口。",
};
