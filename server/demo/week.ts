// The demo's last seven days, fully scripted: two investigations from question to review, in seven languages.
import type { Activity, DemoDay } from './activity.ts'

const firstDay: Activity[] = [
  {
    at: '07:31',
    by: 'mill lane',
    say: 'river',
    body: 'Water level by the footbridge: 1.12 m. Clear, slow, two herons.',
  },
  {
    at: '08:15',
    by: 'Inés',
    say: 'river',
    body: 'Buenos días. En la orilla sur el nivel parece más bajo que ayer; dejé una marca con tiza en el tercer pilar.',
  },
  {
    at: '09:40',
    say: 'sky',
    body: 'Saturn is easy to find tonight: look south an hour after sunset, left of the Moon.',
  },
  {
    at: '10:05',
    by: 'mill lane',
    name: 'gauge',
    ask: 'river/gauges',
    title: 'Does the gauge at the old mill read low after rain?',
    body: 'Three times this autumn the gauge at the old mill stayed at 0.94 m while the water was over the second step, which is at 1.10 m.\n\nIs it the gauge, the steps, or me?',
    sources: [
      {
        url: 'https://example.org/gauges/old-mill',
        note: 'the published readings, every 15 minutes',
      },
    ],
  },
  {
    at: '12:20',
    by: 'Jonas',
    name: 'steps',
    add: 'gauge',
    kind: 'observation',
    body: 'I measured the steps with a level. The second one is at 1.07 m above the gauge zero, not 1.10.\nStill more than the reading.',
  },
  {
    at: '18:44',
    by: '佐藤',
    say: 'sky',
    body: 'こちらでも土星がよく見えます。双眼鏡だと輪までは分かりませんが、少し楕円に見えました。',
  },
  { at: '21:15', say: 'sky', body: 'Clouded over at 21:00. Good night 🌙' },
]

const secondDay: Activity[] = [
  { at: '06:50', by: 'mill lane', say: 'river', body: '1.18 m. Rain since four.' },
  {
    at: '07:20',
    by: 'mill lane',
    name: 'rain',
    add: 'gauge',
    kind: 'observation',
    body: 'Rain since 04:00. Water at the second step at 07:15, the gauge says 0.95 m.\nPhotographs with the clock of the chapel in view.',
    links: [{ to: 'steps', relation: 'supports' }],
    sources: [
      { url: 'https://example.org/photos/mill-0715' },
      { url: 'https://example.org/photos/mill-0730' },
    ],
  },
  {
    at: '08:05',
    by: 'Amira',
    say: 'birds',
    body: 'صباح الخير. سمعت طائر أبو الحناء يغني قبل الفجر تحت مصباح الشارع. هل يسمعه أحد غيري؟',
  },
  {
    at: '09:30',
    by: 'Jonas',
    say: 'birds',
    body: 'Ja! Ein Rotkehlchen, jeden Morgen ab fünf, direkt an der Laterne vor der Apotheke.',
  },
  {
    at: '11:11',
    by: 'Inés',
    name: 'stuck',
    add: 'gauge',
    kind: 'attempt',
    body: 'Abrí la tapa del pozo (con permiso). El flotador roza contra la pared cuando el agua sube deprisa. Lo solté y la lectura saltó a 1.06 m en un minuto.',
    links: [{ to: 'rain', relation: 'extends' }],
  },
  {
    at: '13:25',
    by: 'Amira',
    name: 'robins',
    ask: 'birds',
    title: 'Do robins by street lamps sing earlier than robins in the dark?',
    body: 'Two of us hear robins an hour before dawn, both under lamps. Who can listen in a garden without one?',
    sources: [
      { url: 'https://example.org/papers/urban-song', note: 'a study of one city; gardens only' },
    ],
  },
  {
    at: '16:40',
    by: 'Jonas',
    add: 'robins',
    kind: 'observation',
    body: 'Garden without any lamp, 300 m from the pharmacy: first song at 06:48 today. At the lamp: 05:10.',
  },
  { at: '20:30', say: 'sky', body: 'Clear again. Counted eleven satellites in half an hour.' },
]

const thirdDay: Activity[] = [
  {
    at: '07:05',
    by: 'mill lane',
    say: 'river',
    body: '1.24 m at the footbridge, the meadow path is under water.',
  },
  {
    at: '07:45',
    by: 'mill lane',
    name: 'wrong',
    add: 'gauge',
    kind: 'result',
    body: 'The float sticks when the water rises by more than 3 cm in an hour. After freeing it the gauge agreed with the steps within 1 cm, eleven readings in a row.',
    links: [{ to: 'stuck', relation: 'supports' }],
  },
  {
    at: '09:12',
    by: 'Jonas',
    name: 'fixed',
    add: 'gauge',
    kind: 'correction',
    body: 'Ten readings, not eleven: the one of 06:30 was before the float was freed. The rest stands.',
    links: [{ to: 'wrong', relation: 'corrects' }],
  },
  {
    at: '11:00',
    review: 'wrong',
    outcome: 'substantiated',
    reason:
      'The readings before and after freeing the float are published and agree with the claim.',
    note: 'Compared the published series with the photographs of both mornings.',
  },
  { at: '12:30', by: 'Luiza', directory: 'river/crossings' },
  {
    at: '12:33',
    by: 'Luiza',
    say: 'river/crossings',
    body: 'A ponte pequena está fechada até sexta-feira. O desvio pelo moinho leva uns dez minutos a mais.',
  },
  {
    at: '14:02',
    by: 'great offer',
    name: 'spam',
    say: 'river/crossings',
    body: 'BUY CHEAP BRIDGES NOW!!! best price best bridge',
  },
  { at: '14:20', hide: 'spam', reason: 'advertising' },
  {
    at: '15:55',
    by: 'Amira',
    add: 'robins',
    kind: 'attempt',
    body: 'The lamp at the pharmacy was off last night (repairs). First song there: 06:31. One night is not many, but it is a difference of 80 minutes.',
    name: 'lampoff',
  },
  {
    at: '19:05',
    by: 'रवि',
    say: 'sky',
    body: 'आज शाम पश्चिम में बहुत चमकीला तारा दिखा। क्या वह शुक्र है?',
  },
  {
    at: '19:31',
    say: 'sky',
    body: 'Yes, that is Venus. It sets about two hours after the Sun this week.',
  },
]

const fifthDay: Activity[] = [
  { at: '07:00', by: 'mill lane', say: 'river', body: '1.09 m and falling. Path is open, muddy.' },
  {
    at: '08:40',
    by: 'Jonas',
    add: 'robins',
    kind: 'reuse',
    body: 'Used the listening sheet of the first garden for a second one, 1.2 km out of town: 06:52, 06:50, 06:55 on three mornings.',
    links: [{ to: 'lampoff', relation: 'reuses' }],
    sources: [
      { url: 'https://example.org/sheets/robins', note: 'the sheet, with times and weather' },
    ],
  },
  {
    at: '10:10',
    by: 'Inés',
    say: 'river/gauges',
    body: 'He pedido a la junta de aguas que cambien el flotador. Contestaron: «la próxima semana».',
  },
  {
    at: '13:00',
    by: 'Luiza',
    say: 'river/crossings',
    body: 'Reabriram a ponte pequena um dia antes. Obrigada a quem varreu a lama!',
  },
  {
    at: '18:20',
    by: '佐藤',
    say: 'birds',
    body: '今朝5時すぎ、駅前の街灯の下でもコマドリの仲間が鳴いていました。',
  },
]

const sixthDay: Activity[] = [
  {
    at: '01:20',
    say: 'sky',
    body: 'A long orange meteor at 01:14, from the Twins towards the Bull. It left a trail for three seconds.',
    name: 'meteor',
  },
  {
    at: '09:05',
    by: 'Amira',
    say: 'birds',
    body: 'صباح اليوم الخامس: 05:12 عند المصباح، 06:49 في الحديقة.',
  },
  {
    at: '11:30',
    by: 'Jonas',
    name: 'robinresult',
    add: 'robins',
    kind: 'result',
    body: 'Nine mornings, four places. Under lamps the first song comes 78 to 97 minutes before the one in dark gardens. The night without a lamp fits.',
    links: [{ to: 'lampoff', relation: 'supports' }],
  },
  {
    at: '16:00',
    review: 'robinresult',
    outcome: 'unsupported',
    reason:
      'Nine mornings at four places, but only one night without a lamp; the lamp itself is not shown to be the cause.',
  },
  {
    at: '17:45',
    by: 'Inés',
    say: 'river',
    body: 'Tercer pilar, marca de tiza: 14 cm por encima del agua.',
  },
]

const seventhDay: Activity[] = [
  { at: '06:58', by: 'mill lane', say: 'river', body: '1.03 m. Frost on the handrail.' },
  { at: '08:30', by: 'Luiza', directory: 'sky/aurora' },
  {
    at: '08:35',
    by: 'Luiza',
    say: 'sky/aurora',
    body: 'Alguém mais viu uma luz verde baixa no horizonte norte por volta das 23h?',
  },
  {
    at: '09:10',
    say: 'sky/aurora',
    body: 'Yes: 22:50 to 23:20, faint, no movement. Camera shows green, the eye only grey.',
  },
  {
    at: '10:45',
    by: 'Jonas',
    name: 'aurora',
    ask: 'sky/aurora',
    title: 'War das gestern Abend Polarlicht oder das Gewächshaus?',
    body: 'Das Gewächshaus im Norden leuchtet abends grünlich. Wer hat ein Bild mit Uhrzeit und Blickrichtung?',
  },
  {
    at: '12:15',
    by: 'Luiza',
    add: 'aurora',
    kind: 'observation',
    body: 'Foto às 23:02, direção 352°, a estufa fica a 20°. A luz não estava sobre a estufa.',
    sources: [{ url: 'https://example.org/photos/aurora-2302' }],
  },
  {
    at: '15:20',
    by: 'Amira',
    add: 'robins',
    kind: 'attempt',
    body: 'Asked the town to leave the pharmacy lamp off for a week. They said yes, from Monday.',
  },
  {
    at: '20:05',
    by: 'mill lane',
    add: 'gauge',
    kind: 'reuse',
    body: 'The same test on the weir gauge: water up 5 cm in 50 minutes, float free, agreement within 1 cm.',
    links: [
      { to: 'fixed', relation: 'reuses' },
      { to: 'wrong', relation: 'extends' },
    ],
  },
]

/** Oldest day first; the last one is yesterday. The fourth is quiet, and the sixth has an outage. */
export const DEMO_WEEK: DemoDay[] = [
  { activities: firstDay },
  { activities: secondDay },
  { activities: thirdDay },
  { activities: [] },
  { activities: fifthDay },
  { activities: sixthDay, outage: { from: '02:10', to: '06:40' } },
  { activities: seventhDay },
]
