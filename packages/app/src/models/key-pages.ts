// Where a key of a vendor is made, how such keys begin, and what else people call the vendor.

import { CHINESE_NAMES } from "./vendor-names.zh.ts";

export interface KeyPage {
  /** The vendor's own page with keys. */
  readonly page: string;
  /** A key that begins so is theirs, and nobody else's. */
  readonly prefixes?: readonly string[];
  readonly aliases?: readonly string[];
}

/** By the ids of the catalog. Addresses and beginnings of keys: from memory, unverified. */
const PAGES: Readonly<Record<string, KeyPage>> = {
  anthropic: { page: "https://console.anthropic.com/settings/keys", prefixes: ["sk-ant-"], aliases: ["claude"] },
  openai: {
    page: "https://platform.openai.com/api-keys",
    prefixes: ["sk-proj-", "sk-svcacct-", "sk-admin-"],
    aliases: ["gpt", "chatgpt"],
  },
  google: { page: "https://aistudio.google.com/apikey", prefixes: ["AIza"], aliases: ["ai studio"] },
  openrouter: { page: "https://openrouter.ai/settings/keys", prefixes: ["sk-or-"] },
  groq: { page: "https://console.groq.com/keys", prefixes: ["gsk_"] },
  mistral: { page: "https://console.mistral.ai/api-keys" },
  xai: { page: "https://console.x.ai", prefixes: ["xai-"], aliases: ["grok"] },
  together: { page: "https://api.together.ai/settings/api-keys" },
  fireworks: { page: "https://app.fireworks.ai/settings/users/api-keys", prefixes: ["fw_"] },
  cerebras: { page: "https://cloud.cerebras.ai", prefixes: ["csk-"] },
  perplexity: { page: "https://www.perplexity.ai/settings/api", prefixes: ["pplx-"] },
  cohere: { page: "https://dashboard.cohere.com/api-keys" },
  nvidia: { page: "https://build.nvidia.com/settings/api-keys", prefixes: ["nvapi-"], aliases: ["nim"] },
  huggingface: { page: "https://huggingface.co/settings/tokens", prefixes: ["hf_"] },
  deepinfra: { page: "https://deepinfra.com/dash/api_keys" },
  vercel: { page: "https://vercel.com/ai-gateway", prefixes: ["vck_"] },
  deepseek: { page: "https://platform.deepseek.com/api_keys" },
  moonshot: { page: "https://platform.moonshot.ai/console/api-keys" },
  "moonshot-cn": { page: "https://platform.moonshot.cn/console/api-keys", aliases: ["moonshot"] },
  zai: { page: "https://z.ai/manage-apikey/apikey-list", aliases: ["glm"] },
  zhipu: { page: "https://open.bigmodel.cn/usercenter/apikeys", aliases: ["bigmodel"] },
  qwen: { page: "https://modelstudio.console.alibabacloud.com", aliases: ["qwen"] },
  dashscope: { page: "https://bailian.console.aliyun.com", aliases: ["qwen"] },
  minimax: { page: "https://platform.minimax.io" },
  "minimax-cn": { page: "https://platform.minimaxi.com" },
  volcengine: { page: "https://console.volcengine.com/ark", aliases: ["doubao"] },
  siliconflow: { page: "https://cloud.siliconflow.cn/account/ak" },
  stepfun: { page: "https://platform.stepfun.com" },
  qianfan: { page: "https://console.bce.baidu.com/qianfan", aliases: ["ernie", "baidu"] },
  hunyuan: { page: "https://console.cloud.tencent.com/hunyuan", aliases: ["tencent"] },
  lingyi: { page: "https://platform.lingyiwanwu.com", aliases: ["yi"] },
  baichuan: { page: "https://platform.baichuan-ai.com" },
  modelscope: { page: "https://modelscope.cn/my/myaccesstoken" },
};

export function keyPageOf(vendor: string): KeyPage | undefined {
  const found = PAGES[vendor];
  const chinese = CHINESE_NAMES[vendor];
  if (found === undefined || chinese === undefined) return found;
  return { ...found, aliases: [...(found.aliases ?? []), ...chinese] };
}

/** @returns the vendor whose keys alone begin like this one; of two beginnings that fit, the longer. */
export function vendorOfKey(key: string): string | undefined {
  const fitting = Object.entries(PAGES).flatMap(([id, { prefixes = [] }]) =>
    prefixes.filter((prefix) => key.startsWith(prefix)).map((prefix) => ({ id, length: prefix.length })),
  );
  return fitting.toSorted((a, b) => b.length - a.length)[0]?.id;
}
