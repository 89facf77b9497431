// Messages from bytes to plain objects and back, by a table of descriptors. What a sender adds that the table does not know is
// passed over; of a plain field that comes twice the last one counts, a message that comes twice is merged.
import {
  type Decoded,
  type FieldDescriptor,
  type Given,
  type MessageTable,
  type ScalarWord,
  fieldDescriptor,
  isScalarWord,
} from './descriptor.ts';
import { WireReader } from './wire-reader.ts';
import { WireWriter } from './wire-writer.ts';

type Values = Record<string, unknown>;

interface CodedField extends FieldDescriptor {
  readonly read: (reader: WireReader, into: Values) => void;
  readonly write: (writer: WireWriter, value: unknown) => void;
  /** What a message holds that was not sent this field: made anew where it can be changed. */
  readonly unset: () => unknown;
}

interface CodedMessage {
  readonly byNumber: ReadonlyMap<number, CodedField>;
  readonly fields: readonly CodedField[];
}

export class Codec<const T extends MessageTable> {
  readonly #table: T;
  /** Made when first asked for: a table may be large and its messages may contain each other. */
  readonly #messages = new Map<string, CodedMessage>();

  constructor(table: T) {
    this.#table = table;
  }

  /** Throws a WireError. */
  decode<Name extends keyof T & string>(name: Name, bytes: Uint8Array): Decoded<T, Name> {
    return this.#read(name, new WireReader(bytes), undefined) as Decoded<T, Name>;
  }

  encode<Name extends keyof T & string>(name: Name, given: Given<T, Name>): Buffer {
    const writer = new WireWriter();
    this.#write(name, writer, given);
    return writer.finish();
  }

  #read(name: string, reader: WireReader, merged: Values | undefined): Values {
    const { byNumber, fields } = this.#message(name);
    const values: Values = merged ?? {};
    if (merged === undefined) for (const field of fields) values[field.name] = field.unset();
    while (reader.next()) {
      const field = byNumber.get(reader.number);
      if (field === undefined) reader.skip();
      else field.read(reader, values);
    }
    return values;
  }

  #write(name: string, writer: WireWriter, given: object): void {
    const values = given as Readonly<Values>;
    for (const field of this.#message(name).fields) {
      const value = values[field.name];
      if (value !== undefined) field.write(writer, value);
    }
  }

  #message(name: string): CodedMessage {
    const known = this.#messages.get(name);
    if (known !== undefined) return known;
    const lines = this.#table[name];
    if (lines === undefined) throw new TypeError(`no message ${name} in the table`);
    const fields = Object.entries(lines).map(([field, line]) => this.#field(fieldDescriptor(field, line)));
    const made = { fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
    this.#messages.set(name, made);
    return made;
  }

  #field(field: FieldDescriptor): CodedField {
    const { word, shape } = field;
    switch (shape) {
      case 'map':
        return { ...field, ...this.#mapField(field), unset: () => ({}) };
      case 'repeated':
        return { ...field, ...this.#repeatedField(field), unset: () => [] };
      case 'plain':
      case 'optional':
        return { ...field, ...(isScalarWord(word) ? scalarField(field, word) : this.#messageField(field)) };
    }
  }

  #messageField({ name, number, word }: FieldDescriptor): Omit<CodedField, keyof FieldDescriptor> {
    return {
      read: (reader, into) => (into[name] = this.#read(word, reader.message(), into[name] as Values | undefined)),
      write: (writer, value) => writer.message(number, () => this.#write(word, writer, value as object)),
      unset: () => undefined,
    };
  }

  #repeatedField({ name, number, word }: FieldDescriptor): Pick<CodedField, 'read' | 'write'> {
    if (!isScalarWord(word))
      return {
        read: (reader, into) => (into[name] as Values[]).push(this.#read(word, reader.message(), undefined)),
        write: (writer, value) => {
          for (const each of value as readonly object[]) writer.message(number, () => this.#write(word, writer, each));
        },
      };
    const { read, write, packedAs } = SCALARS[word];
    return {
      read: (reader, into) => {
        const list = into[name] as unknown[];
        if (packedAs === undefined || reader.wireType !== 'bytes') {
          list.push(read(reader));
          return;
        }
        const packed = reader.packed(packedAs);
        while (!packed.isAtEnd) list.push(read(packed));
      },
      // Unpacked: every reader must take both forms, and the numbers in our messages come by ones and twos.
      write: (writer, value) => {
        for (const each of value as readonly unknown[]) write(writer, number, each);
      },
    };
  }

  #mapField({ name, number, word }: FieldDescriptor): Pick<CodedField, 'read' | 'write'> {
    const value = this.#field({ name: 'value', number: 2, shape: 'plain', word });
    const entry = (reader: WireReader): readonly [string, unknown] => {
      let key = '';
      const held: Values = {};
      while (reader.next()) {
        if (reader.number === 1) key = reader.string();
        else if (reader.number === 2) value.read(reader, held);
        else reader.skip();
      }
      const isMessage = !isScalarWord(word);
      return [
        key,
        held['value'] ?? (isMessage ? this.#read(word, new WireReader(new Uint8Array()), undefined) : value.unset()),
      ];
    };
    return {
      read: (reader, into) => {
        const [key, held] = entry(reader.message());
        // Defined, not assigned: a key may be called __proto__.
        Object.defineProperty(into[name], key, { value: held, enumerable: true, writable: true, configurable: true });
      },
      write: (writer, entries) => {
        for (const [key, held] of Object.entries(entries as Readonly<Values>))
          writer.message(number, () => {
            writer.string(1, key);
            value.write(writer, held);
          });
      },
    };
  }
}

interface ScalarCoding {
  readonly read: (reader: WireReader) => unknown;
  readonly write: (writer: WireWriter, number: number, value: unknown) => void;
  readonly zero: unknown;
  readonly packedAs?: WireReader['wireType'];
}

const integer: Pick<ScalarCoding, 'write' | 'packedAs'> = {
  write: (writer, number, value) => writer.integer(number, value as number | bigint),
  packedAs: 'varint',
};
const NO_BYTES = new Uint8Array();

const SCALARS: Readonly<Record<ScalarWord, ScalarCoding>> = {
  string: {
    read: (reader) => reader.string(),
    write: (writer, number, value) => writer.string(number, value as string),
    zero: '',
  },
  bytes: {
    read: (reader) => reader.bytes(),
    write: (writer, number, value) => writer.bytes(number, value as Uint8Array),
    zero: NO_BYTES,
  },
  bool: {
    read: (reader) => reader.bool(),
    write: (writer, number, value) => writer.bool(number, value as boolean),
    zero: false,
    packedAs: 'varint',
  },
  int32: { ...integer, read: (reader) => reader.int32(), zero: 0 },
  int64: { ...integer, read: (reader) => reader.int64(), zero: 0 },
  uint32: { ...integer, read: (reader) => reader.uint32(), zero: 0 },
  uint64: { ...integer, read: (reader) => reader.uint64(), zero: 0 },
  bigint64: { ...integer, read: (reader) => reader.bigInt64(), zero: 0n },
  biguint64: { ...integer, read: (reader) => reader.bigUint64(), zero: 0n },
  double: {
    read: (reader) => reader.double(),
    write: (writer, number, value) => writer.double(number, value as number),
    zero: 0,
    packedAs: 'fixed64',
  },
  float: {
    read: (reader) => reader.float(),
    write: (writer, number, value) => writer.float(number, value as number),
    zero: 0,
    packedAs: 'fixed32',
  },
};

/** A plain field that holds its zero is not sent; an optional one is, because its presence says something. */
function scalarField(
  { name, number, shape }: FieldDescriptor,
  word: ScalarWord,
): Omit<CodedField, keyof FieldDescriptor> {
  const { read, write, zero } = SCALARS[word];
  const isZero = (value: unknown): boolean =>
    value === zero || (word === 'bytes' && (value as Uint8Array).length === 0);
  return {
    read: (reader, into) => (into[name] = read(reader)),
    write: (writer, value) => {
      if (shape === 'optional' || !isZero(value)) write(writer, number, value);
    },
    unset: () => (shape === 'optional' ? undefined : zero),
  };
}
