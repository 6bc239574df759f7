type RefusalOptions = { code?: string; param?: string; retryAfterSeconds?: number };

/** What the provider will not do. Each dialect words it in its own shape; `status` decides the type it gets there. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, options: RefusalOptions = {}) {
    super(message);
    this.status = status;
    this.code = options.code ?? null;
    this.param = options.param ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

export const invalid = (message: string, param?: string): Refusal =>
  new Refusal(400, message, param === undefined ? {} : { param });
