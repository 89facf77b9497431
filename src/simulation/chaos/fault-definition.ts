// The definition of the kind Fault. Its schema knows the cluster: what names a node, component, driver or call that is not
// there is refused by the server, and so is a field that a fault of this type does not have.
import type { Draft } from '../../kube/cluster.ts';
import type { CustomResourceDefinition } from '../../kube/resources/custom-resource-definition.ts';
import type { Cast } from '../cast.ts';
import { CALLS, CODES, FIELDS, OPTIONAL, REASONS, TYPES } from '../faults/fault-fields.ts';
import type { FaultType } from '../faults/fault.ts';
import { Faults } from './fault-object.ts';

export const FAULT_DEFINITION = `${Faults.plural}.${Faults.group}`;

const DURATION = '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$';

export function faultDefinition(cast: Cast): Draft<CustomResourceDefinition> {
  const { group, version, plural, kind } = Faults;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: FAULT_DEFINITION },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, singular: 'fault', kind, listKind: 'FaultList', categories: ['chaos'] },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            column('What', '.spec.type'),
            column('Target', '.status.target'),
            column('State', '.status.state'),
            column('Why', '.status.message', 1),
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          schema: { openAPIV3Schema: schemaOf(cast) },
        },
      ],
    },
  };
}

const column = (name: string, jsonPath: string, priority = 0): object => ({ name, type: 'string', jsonPath, priority });
const words = (description: string, allowed: readonly string[]): object => ({
  type: 'string',
  description,
  ...(allowed.length === 0 ? {} : { enum: allowed }),
});

function schemaOf(cast: Cast): object {
  return {
    type: 'object',
    description: 'Something that goes wrong in this cluster from when the object is made until it is deleted.',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['type'],
        properties: { type: words('What goes wrong.', TYPES), ...fieldsOf(cast) },
        'x-kubernetes-validations': [...RULES],
      },
      status: { type: 'object', properties: STATUS },
    },
  };
}

const fieldsOf = (cast: Cast): Readonly<Record<string, object>> => ({
  duration: { type: 'string', pattern: DURATION, description: 'How long, in time of the cluster: 90s, 12m.' },
  node: words('A virtual node of this cluster.', cast.nodes),
  from: words('What the node does not reach.', ['api', 'storage', 'both']),
  by: { type: 'string', pattern: `${DURATION.replace('^', '^-?')}`, description: 'How much longer, or how far off.' },
  driver: words('Only calls of this CSI driver.', cast.drivers),
  call: words('The RPC.', CALLS),
  code: words('What the driver answers with.', CODES),
  probability: { type: 'number', minimum: 0, maximum: 1, description: 'Of each call or request; 1 unless given.' },
  afterEffect: { type: 'boolean', description: 'The work is done all the same, and only the answer is wrong.' },
  actor: words('The component whose requests and watches are disturbed.', cast.components),
  reason: words('What the API server answers with.', REASONS),
  component: words('The component.', cast.components),
  program: words('The program of which another process takes over.', cast.programs),
});

const STATUS = {
  state: words('Whether it is in force.', ['Active', 'Ended', 'Refused']),
  message: { type: 'string', description: 'Why it is not in force any more, or never was.' },
  target: { type: 'string', description: 'What it acts on.' },
  beganAt: { type: 'string', format: 'date-time' },
  endedAt: { type: 'string', format: 'date-time' },
};

const listOf = (types: readonly FaultType[]): string => `[${types.map((type) => `'${type}'`).join(', ')}]`;

/** Each type has the fields that it needs and none that mean nothing to it; and a fault stays what it is. */
const RULES: readonly object[] = [
  ...[...new Set(Object.values(FIELDS).flat())].flatMap((field) => {
    const types = TYPES.filter((type) => FIELDS[type].includes(field));
    const means = {
      rule: `!has(self.${field}) || self.type in ${listOf(types)}`,
      message: `"${field}" means nothing to this type of fault`,
      messageExpression: `'"${field}" means nothing to a ' + self.type + ' fault'`,
    };
    const needs = {
      rule: `has(self.${field}) || !(self.type in ${listOf(types)})`,
      message: `this type of fault needs "${field}"`,
      messageExpression: `'a ' + self.type + ' fault needs "${field}"'`,
    };
    return OPTIONAL.has(field) ? [means] : [means, needs];
  }),
  { rule: 'self == oldSelf', message: 'a fault stays what it is: delete it and make another' },
];
