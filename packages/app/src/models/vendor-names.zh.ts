/** What vendors are called in China, beside the names of the catalog. */
export const CHINESE_NAMES: Readonly<Record<string, readonly string[]>> = {
  deepseek: ["深度求索"],
  qwen: ["通义千问"],
  dashscope: ["通义千问", "百炼"],
  volcengine: ["豆包", "方舟"],
  siliconflow: ["硅基流动"],
  stepfun: ["阶跃星辰"],
  qianfan: ["文心"],
  hunyuan: ["混元"],
  lingyi: ["零一万物"],
  baichuan: ["百川"],
  modelscope: ["魔搭"],
};
