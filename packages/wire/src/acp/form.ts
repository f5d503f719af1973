/** A form an agent asks to have filled in: `requestedSchema` of an `elicitation/create` (ACP v1), read as far as it is understood. */
export interface Form {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** In the agent's own order. */
  readonly fields: readonly FormField[];
}

interface FieldBase {
  /** The member of the answer. */
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

/** One member of the answer. `other`: of a shape that is not understood, which can't be filled in. */
export type FormField =
  | (FieldBase & {
      readonly type: 'text';
      /** `email`, `uri`, `date`, `date-time`, or one that is not checked. */
      readonly format: string | undefined;
      readonly pattern: string | undefined;
      /** In code points. */
      readonly minLength: number | undefined;
      readonly maxLength: number | undefined;
      readonly preset: string | undefined;
    })
  | (FieldBase & {
      readonly type: 'number';
      readonly isInteger: boolean;
      readonly minimum: number | undefined;
      readonly maximum: number | undefined;
      readonly preset: number | undefined;
    })
  | (FieldBase & { readonly type: 'flag'; readonly preset: boolean | undefined })
  | (FieldBase & {
      readonly type: 'choice';
      readonly choices: readonly FormChoice[];
      readonly preset: string | undefined;
    })
  | (FieldBase & {
      readonly type: 'choices';
      readonly choices: readonly FormChoice[];
      readonly minItems: number | undefined;
      readonly maxItems: number | undefined;
      readonly preset: readonly string[];
    })
  | (FieldBase & { readonly type: 'other' });

export interface FormChoice {
  readonly value: string;
  readonly label: string;
}

type Members = Readonly<Record<string, unknown>>;

/** Reads a requested schema: any value gives a form, at worst one without fields. */
export function readForm(requestedSchema: unknown): Form {
  const schema = asMembers(requestedSchema);
  const properties = asMembers(schema.properties);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return {
    title: asText(schema.title),
    description: asText(schema.description),
    fields: Object.entries(properties).map(([name, property]) =>
      readField(name, asMembers(property), required.has(name)),
    ),
  };
}

function readField(name: string, property: Members, isRequired: boolean): FormField {
  const base = { name, title: asText(property.title) ?? name, description: asText(property.description), isRequired };
  switch (property.type) {
    case 'string':
      return readText(base, property);
    case 'number':
    case 'integer':
      return {
        ...base,
        type: 'number',
        isInteger: property.type === 'integer',
        minimum: asNumber(property.minimum),
        maximum: asNumber(property.maximum),
        preset: asNumber(property.default),
      };
    case 'boolean':
      return { ...base, type: 'flag', preset: typeof property.default === 'boolean' ? property.default : undefined };
    case 'array': {
      const choices = readChoices(asMembers(property.items));
      if (choices === undefined) return { ...base, type: 'other' };
      const preset = Array.isArray(property.default) ? property.default : [];
      return {
        ...base,
        type: 'choices',
        choices,
        minItems: asNumber(property.minItems),
        maxItems: asNumber(property.maxItems),
        preset: preset.filter((value) => choices.some((choice) => choice.value === value)),
      };
    }
    default:
      return { ...base, type: 'other' };
  }
}

function readText(base: FieldBase, property: Members): FormField {
  const preset = asText(property.default);
  const choices = readChoices(property);
  if (choices !== undefined) {
    return {
      ...base,
      type: 'choice',
      choices,
      preset: choices.some(({ value }) => value === preset) ? preset : undefined,
    };
  }
  return {
    ...base,
    type: 'text',
    format: asText(property.format),
    pattern: asText(property.pattern),
    minLength: asNumber(property.minLength),
    maxLength: asNumber(property.maxLength),
    preset,
  };
}

/** `enum` of texts, or `oneOf`/`anyOf` of `{const, title}`; undefined where there is neither. */
function readChoices(schema: Members): readonly FormChoice[] | undefined {
  const titled = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : undefined;
  const listed = Array.isArray(schema.enum) ? schema.enum.map((value) => ({ const: value })) : undefined;
  return (titled ?? listed)?.flatMap((entry: unknown) => {
    const { const: value, title } = asMembers(entry);
    return typeof value === 'string' ? [{ value, label: asText(title) ?? value }] : [];
  });
}

function asMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
