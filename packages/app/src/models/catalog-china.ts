// Vendors in China; several have a second address for the rest of the world.
import type { Vendor } from "./vendor.ts";

/** A date says when a source was read and for what; everything without one is from memory, unverified. */
export const CHINESE_VENDORS: readonly Vendor[] = [
  // Address and model: api-docs.deepseek.com/zh-cn/quick_start/pricing (read 2026-11-21): deepseek-flash takes images,
  // deepseek-v4-pro does not. The other quirks: from memory, unverified
  {
    id: "deepseek",
    name: "DeepSeek",
    api: "openai-chat",
    baseUrl: "https://api.deepseek.com/v1",
    keys: ["DEEPSEEK_API_KEY"],
    defaultModel: "deepseek-flash",
    quirks: { images: false, thinking: "thinking-type", echoReasoning: true },
  },
  // Both addresses: skillmds.dev, moonshot-kimi-api; model: charmbracelet/catwalk#450 (read 2026-11-21). Quirk: from memory, unverified
  {
    id: "moonshot",
    name: "Moonshot (Kimi)",
    api: "openai-chat",
    baseUrl: "https://api.moonshot.ai/v1",
    keys: ["MOONSHOT_API_KEY", "KIMI_API_KEY"],
    defaultModel: "kimi-k3",
    quirks: { echoReasoning: true },
  },
  {
    id: "moonshot-cn",
    name: "月之暗面 (Kimi)",
    api: "openai-chat",
    baseUrl: "https://api.moonshot.cn/v1",
    keys: ["MOONSHOT_CN_API_KEY"],
    defaultModel: "kimi-k3",
    quirks: { echoReasoning: true },
  },
  // Both addresses: docs.jambonz.org, z-ai-glm; model: docs.openclaw.ai/providers/zai (read 2026-11-21). Quirks: from memory, unverified
  {
    id: "zai",
    name: "Z.ai",
    api: "openai-chat",
    baseUrl: "https://api.z.ai/api/paas/v4",
    keys: ["ZAI_API_KEY"],
    defaultModel: "glm-5.2",
    quirks: { images: false, thinking: "thinking-type" },
  },
  {
    id: "zhipu",
    name: "智谱 GLM",
    api: "openai-chat",
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    keys: ["ZHIPU_API_KEY", "ZHIPUAI_API_KEY"],
    defaultModel: "glm-5.2",
    quirks: { images: false, thinking: "thinking-type" },
  },
  // Both addresses: alibabacloud.com/help/doc-detail/2833609; model: dev.to/hassann (read 2026-11-21). Quirk: from memory, unverified
  {
    id: "qwen",
    name: "Alibaba Model Studio",
    api: "openai-chat",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keys: ["DASHSCOPE_INTL_API_KEY"],
    defaultModel: "qwen3.8-max",
    quirks: { thinking: "enable-thinking" },
  },
  {
    id: "dashscope",
    name: "阿里云百炼",
    api: "openai-chat",
    baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    keys: ["DASHSCOPE_API_KEY"],
    defaultModel: "qwen3.8-max",
    quirks: { thinking: "enable-thinking" },
  },
  // Addresses: platform.minimax.io and platform.minimaxi.com, docs/api-reference/text-anthropic-api (read 2026-11-21);
  // the Chinese page's example names MiniMax-M2.7. Quirk: from memory, unverified
  {
    id: "minimax",
    name: "MiniMax",
    api: "anthropic",
    baseUrl: "https://api.minimax.io/anthropic/v1",
    keys: ["MINIMAX_API_KEY"],
    defaultModel: "MiniMax-M3",
    quirks: { files: false },
  },
  {
    id: "minimax-cn",
    name: "MiniMax 中国",
    api: "anthropic",
    baseUrl: "https://api.minimaxi.com/anthropic/v1",
    keys: ["MINIMAX_CN_API_KEY"],
    defaultModel: "MiniMax-M3",
    quirks: { files: false },
  },
  // www.volcengine.com/docs/82379: from memory, unverified; models are named by version or by endpoint id (ep-…)
  {
    id: "volcengine",
    name: "火山方舟 (豆包)",
    api: "openai-chat",
    baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
    keys: ["ARK_API_KEY", "VOLCENGINE_API_KEY"],
    defaultModel: "doubao-seed-1-6-250615",
    quirks: { thinking: "thinking-type" },
  },
  // docs.siliconflow.cn/cn/userguide: from memory, unverified
  {
    id: "siliconflow",
    name: "硅基流动",
    api: "openai-chat",
    baseUrl: "https://api.siliconflow.cn/v1",
    keys: ["SILICONFLOW_API_KEY"],
    defaultModel: "deepseek-ai/DeepSeek-V3.2",
  },
  // platform.stepfun.com/docs: from memory, unverified
  {
    id: "stepfun",
    name: "阶跃星辰",
    api: "openai-chat",
    baseUrl: "https://api.stepfun.com/v1",
    keys: ["STEPFUN_API_KEY", "STEP_API_KEY"],
    defaultModel: "step-3",
  },
  // cloud.baidu.com/doc/qianfan-api: from memory, unverified
  {
    id: "qianfan",
    name: "百度千帆",
    api: "openai-chat",
    baseUrl: "https://qianfan.baidubce.com/v2",
    keys: ["QIANFAN_API_KEY"],
    defaultModel: "ernie-4.5-turbo-128k",
  },
  // cloud.tencent.com/document/product/1729/111007: from memory, unverified
  {
    id: "hunyuan",
    name: "腾讯混元",
    api: "openai-chat",
    baseUrl: "https://api.hunyuan.cloud.tencent.com/v1",
    keys: ["HUNYUAN_API_KEY"],
    defaultModel: "hunyuan-turbos-latest",
    quirks: { images: false },
  },
  // platform.lingyiwanwu.com/docs: from memory, unverified
  {
    id: "lingyi",
    name: "零一万物 (01.AI)",
    api: "openai-chat",
    baseUrl: "https://api.lingyiwanwu.com/v1",
    keys: ["LINGYI_API_KEY", "YI_API_KEY"],
    defaultModel: "yi-lightning",
    quirks: { images: false },
  },
  // platform.baichuan-ai.com/docs/api: from memory, unverified
  {
    id: "baichuan",
    name: "百川智能",
    api: "openai-chat",
    baseUrl: "https://api.baichuan-ai.com/v1",
    keys: ["BAICHUAN_API_KEY"],
    defaultModel: "Baichuan4-Turbo",
    quirks: { images: false },
  },
  // modelscope.cn/docs/model-service/API-Inference/intro: from memory, unverified
  {
    id: "modelscope",
    name: "魔搭 ModelScope",
    api: "openai-chat",
    baseUrl: "https://api-inference.modelscope.cn/v1",
    keys: ["MODELSCOPE_API_KEY", "MODELSCOPE_SDK_TOKEN"],
    defaultModel: "Qwen/Qwen3-235B-A22B-Instruct-2507",
    quirks: { images: false },
  },
];
