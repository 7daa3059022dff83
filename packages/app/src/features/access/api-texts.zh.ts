import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  admittedByConfiguration: "{sender} 的权限写在配置中。",
  noSuchPerson: "没有这样的人。`margay people list` 会列出他们。",
  removeIdFrom: "请从 {list} 中移除该 id，再让对方配对。",
  sayingWhoSomebodyIs: "确认某人的身份",
  makingSomebodyOperator: "授予操作员身份",
  noSuchContact: "没有此联系人。",
  listsThem: "GET /api/v1/contacts 列出全部联系人。",
  noSuchCode: "没有有效的此配对码：它已使用、被拒绝或超过十分钟。",
  letPersonWrite: "请对方再次发消息，以获得新的配对码。",
  invitation: "我还不认识您。请管理员运行：margay channels pair {code}（10 分钟内有效）",
};
