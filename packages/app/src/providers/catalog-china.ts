// Vendors in China; several have a second address for the rest of the world.
import type { Vendor } from "./vendor.ts";

/** Sources are each vendor's OpenAI-compatibility page; cross-read with siyuan-note/siyuan aiProviderPresets.ts, 2026-11-21. */
export const CHINESE_VENDORS: readonly Vendor[] = [
  // api-docs.deepseek.com: quick_start/pricing, guides/thinking_mode (2026-11-21)
  {
    id: "deepseek",
    name: "DeepSeek",
    api: "openai-chat",
    baseUrl: "https://api.deepseek.com/v1",
    keys: ["DEEPSEEK_API_KEY"],
    defaultModel: "deepseek-flash",
    quirks: { images: false, thinking: "thinking-type", echoReasoning: true },
  },
  // platform.moonshot.ai/docs/api/chat (2026-11-21)
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
  // docs.z.ai/guides/overview/quick-start, docs.bigmodel.cn (2026-11-21)
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
  // help.aliyun.com/zh/model-studio (compatible mode, deep thinking) (2026-11-21)
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
  // platform.minimax.io/docs/api-reference/text-anthropic-api (2026-11-21)
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
  // www.volcengine.com/docs/82379 (2026-11-21); models are named by version or by endpoint id (ep-…)
  {
    id: "volcengine",
    name: "火山方舟 (豆包)",
    api: "openai-chat",
    baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
    keys: ["ARK_API_KEY", "VOLCENGINE_API_KEY"],
    defaultModel: "doubao-seed-1-6-250615",
    quirks: { thinking: "thinking-type" },
  },
  // docs.siliconflow.cn/cn/userguide (2026-11-21)
  {
    id: "siliconflow",
    name: "硅基流动",
    api: "openai-chat",
    baseUrl: "https://api.siliconflow.cn/v1",
    keys: ["SILICONFLOW_API_KEY"],
    defaultModel: "deepseek-ai/DeepSeek-V3.2",
  },
  // platform.stepfun.com/docs (2026-11-21)
  {
    id: "stepfun",
    name: "阶跃星辰",
    api: "openai-chat",
    baseUrl: "https://api.stepfun.com/v1",
    keys: ["STEPFUN_API_KEY", "STEP_API_KEY"],
    defaultModel: "step-3",
  },
  // cloud.baidu.com/doc/qianfan-api (2026-11-21)
  {
    id: "qianfan",
    name: "百度千帆",
    api: "openai-chat",
    baseUrl: "https://qianfan.baidubce.com/v2",
    keys: ["QIANFAN_API_KEY"],
    defaultModel: "ernie-4.5-turbo-128k",
  },
  // cloud.tencent.com/document/product/1729/111007 (2026-11-21)
  {
    id: "hunyuan",
    name: "腾讯混元",
    api: "openai-chat",
    baseUrl: "https://api.hunyuan.cloud.tencent.com/v1",
    keys: ["HUNYUAN_API_KEY"],
    defaultModel: "hunyuan-turbos-latest",
    quirks: { images: false },
  },
  // platform.lingyiwanwu.com/docs (2026-11-21)
  {
    id: "lingyi",
    name: "零一万物 (01.AI)",
    api: "openai-chat",
    baseUrl: "https://api.lingyiwanwu.com/v1",
    keys: ["LINGYI_API_KEY", "YI_API_KEY"],
    defaultModel: "yi-lightning",
    quirks: { images: false },
  },
  // platform.baichuan-ai.com/docs/api (2026-11-21)
  {
    id: "baichuan",
    name: "百川智能",
    api: "openai-chat",
    baseUrl: "https://api.baichuan-ai.com/v1",
    keys: ["BAICHUAN_API_KEY"],
    defaultModel: "Baichuan4-Turbo",
    quirks: { images: false },
  },
  // modelscope.cn/docs/model-service/API-Inference/intro (2026-11-21)
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
