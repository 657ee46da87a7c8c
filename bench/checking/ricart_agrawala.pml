/* Ricart-Agrawala on links that overtake, one entry each, for SPIN: one atomic step a clause, as in
   habemus.mutex.ricart_agrawala, or as in ticking.py if TICK is 1.

   Never two inside; no run ends before everybody was inside. Between two processes there is at most one request and one
   reply under way in each direction, so that links are arrays. */

#ifndef N
#define N 3
#define EACH(step) step(0) step(1) step(2)
#endif
#ifndef TICK
#define TICK 0
#endif

#define OF(sender, receiver) ((sender) * N + (receiver))
byte request[N * N];	/* the number of the request that is under way; 0: none is */
bool reply[N * N];	/* whether a reply is under way */
byte inside;

#define HEAR(other) \
	:: d_step { request[OF(other, me)] -> \
		if \
		:: request[OF(other, me)] > highest -> highest = request[OF(other, me)] \
		:: else \
		fi; \
		if \
		:: holds || (number && (number < request[OF(other, me)] || (number == request[OF(other, me)] && me < other))) -> \
			deferred = deferred | (1 << other) \
		:: else -> reply[OF(me, other)] = true \
		fi; \
		highest = highest + TICK; \
		request[OF(other, me)] = 0 } \
	:: d_step { reply[OF(other, me)] -> \
		reply[OF(other, me)] = false; \
		permissions = permissions | (1 << other); \
		if \
		:: permissions == everybody -> \
			number = 0; \
			holds = true; \
			inside++; \
			assert(inside == 1) \
		:: else \
		fi }

#define ASK(other) \
		if \
		:: other != me -> request[OF(me, other)] = number \
		:: else \
		fi;

#define ANSWER(other) \
		if \
		:: deferred & (1 << other) -> reply[OF(me, other)] = true \
		:: else \
		fi;

active [N] proctype site() {
	byte me = _pid, everybody = ((1 << N) - 1) & ~(1 << _pid);
	byte number, highest, permissions, deferred;
	bool asked, holds;

	do
	:: d_step { !asked ->
		asked = true;
		number = highest + 1;
		highest = highest + TICK;
		EACH(ASK) }
	:: d_step { holds ->
		holds = false;
		inside--;
		EACH(ANSWER)
		permissions = 0;
		deferred = 0 };
		break
	EACH(HEAR)
	od;
end:
	do
	EACH(HEAR)
	od
}
